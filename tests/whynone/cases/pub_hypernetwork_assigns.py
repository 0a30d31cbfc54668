import tensorflow as tf
from tensorflow import keras

keras.utils.set_random_seed(68)


class HyperNetwork(keras.Model):
    def __init__(self, target):
        super().__init__()
        self.target = target
        self.make = keras.layers.Dense(sum(int(tf.size(w)) for w in target.trainable_weights))

    def call(self, task, x):
        flat = self.make(task)[0]
        start = 0
        for w in self.target.trainable_weights:
            size = int(tf.size(w))
            w.assign(tf.reshape(flat[start:start + size], w.shape))
            start += size
        return self.target(x)


target = keras.Sequential([keras.Input((2,)), keras.layers.Dense(3, "tanh"), keras.layers.Dense(1)])
hyper = HyperNetwork(target)
task, x, y = tf.ones((1, 4)), tf.random.normal((5, 2)), tf.random.normal((5, 1))
with tf.GradientTape() as tape:
    loss = tf.reduce_mean((hyper(task, x) - y) ** 2)
grads = tape.gradient(loss, hyper.make.trainable_variables)
print(grads)
