"""A cell that keeps its state in a variable from one step to the next."""

import keras
import numpy as np
import tensorflow as tf

keras.utils.set_random_seed(0)


class Memory(keras.layers.Layer):
    def build(self, shape):
        self.mix = self.add_weight(shape=(shape[-1], 4), initializer="glorot_uniform")
        self.state = tf.Variable(tf.zeros((2, 4)), trainable=False)

    def call(self, x):
        new = tf.tanh(x @ self.mix + 0.5 * self.state)
        self.state.assign(new)
        return tf.identity(self.state)


memory = Memory()
readout = keras.layers.Dense(1)
steps = tf.constant(np.random.default_rng(0).normal(size=(3, 2, 5)), tf.float32)
labels = tf.constant([[1.0], [0.0]])

with tf.GradientTape() as tape:
    for step in steps:
        hidden = memory(step)
    loss = tf.reduce_mean((readout(hidden) - labels) ** 2)

variables = memory.trainable_variables + readout.trainable_variables
gradients = tape.gradient(loss, variables)
print([gradient is None for gradient in gradients])
