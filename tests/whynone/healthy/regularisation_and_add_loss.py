import tensorflow as tf


class Penalised(tf.keras.layers.Layer):
    def __init__(self):
        super().__init__()
        self.dense = tf.keras.layers.Dense(2, kernel_regularizer="l2")

    def call(self, x):
        h = self.dense(x)
        self.add_loss(0.01 * tf.reduce_mean(tf.abs(h)))
        return h


tf.keras.utils.set_random_seed(41)
layer = Penalised()
x = tf.random.normal((4, 3))
layer(x)
with tf.GradientTape() as tape:
    loss = tf.reduce_mean((layer(x) - 1.0) ** 2) + tf.add_n(layer.losses)
print(float(loss).hex(), [g.numpy().ravel().tolist() for g in tape.gradient(
    loss, layer.trainable_variables)])
