import tensorflow as tf


class Biased(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.offset = tf.Variable(tf.ones((1, 2)), name="offset")
        self.dense = tf.keras.layers.Dense(2)

    def call(self, x):
        return self.dense(x) + self.offset


tf.keras.utils.set_random_seed(44)
model = Biased()
x = tf.random.normal((3, 4))
model(x)
with tf.GradientTape() as tape:
    loss = tf.reduce_sum(model(x) ** 2)
grads = tape.gradient(loss, model.trainable_variables + [model.offset])
print([g.numpy().ravel().tolist() for g in grads])
