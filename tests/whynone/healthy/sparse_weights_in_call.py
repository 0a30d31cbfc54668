import tensorflow as tf


class SparseMix(tf.keras.layers.Layer):
    def build(self, shape):
        self.strength = self.add_weight(name="strength", shape=(3,), initializer="ones")

    def call(self, x):
        matrix = tf.SparseTensor(
            [[0, 1], [1, 2], [2, 0]], tf.convert_to_tensor(self.strength), [3, 3])
        return tf.sparse.sparse_dense_matmul(matrix, x)


layer = SparseMix()
x = tf.constant([[1.0], [2.0], [-1.0]])
layer(x)
with tf.GradientTape() as tape:
    loss = tf.reduce_sum(layer(x) ** 2)
print(tape.gradient(loss, layer.strength).numpy().tolist())
