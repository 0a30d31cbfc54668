import keras
import tensorflow as tf


class Momentum(keras.layers.Layer):
    def __init__(self):
        super().__init__()
        self.project = keras.layers.Dense(3, name="project")

    def call(self, x):
        keys = self.project(x)
        return keras.ops.stop_gradient(keys)


tf.random.set_seed(26)
query = keras.layers.Dense(3, name="query")
momentum = Momentum()
x = tf.random.normal((4, 2))
with tf.GradientTape() as tape:
    similarity = tf.reduce_sum(query(x) * momentum(x))
for layer in (momentum,):
    print(layer.name, tape.gradient(similarity, layer.trainable_variables))
