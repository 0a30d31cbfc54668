import numpy as np
import tensorflow as tf
from tensorflow import keras

keras.utils.set_random_seed(54)


class Gaussian(keras.Model):
    def __init__(self):
        super().__init__()
        self.mu = keras.layers.Dense(2)
        self.log_std = keras.layers.Dense(2)

    def call(self, s):
        return self.mu(s), tf.exp(self.log_std(s))

    def sample(self, s):
        mu, std = self(s)
        action = np.random.normal(loc=mu, scale=std)
        return tf.tanh(tf.cast(action, tf.float32))


policy = Gaussian()
critic = keras.layers.Dense(1)
s = tf.random.normal((4, 3))
with tf.GradientTape() as tape:
    a = policy.sample(s)
    loss = -tf.reduce_mean(critic(tf.concat([s, a], 1)))
print([g is None for g in tape.gradient(loss, policy.trainable_variables)])
