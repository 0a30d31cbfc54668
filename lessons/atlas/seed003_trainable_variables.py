"""The answer: a tape, a loss function, and the trainable variables

lesson: weights_or_inputs
kind: seed
seed: 003
claim: A tape gives the loss's gradients of all trainable variables.
expect: value
"""

import numpy as np
import tensorflow as tf

keras = tf.keras


class Net(keras.Model):
    def __init__(self):
        super().__init__()
        self.minimalrnn = keras.layers.SimpleRNN(2, name="minimalrnn")
        self.out = keras.layers.Dense(4)

    def call(self, inputs):
        return self.out(self.minimalrnn(inputs))


x, y = np.ones((2, 5, 1), "float32"), np.ones((2, 4), "float32")
model = Net()
with tf.GradientTape() as tape:
    loss = tf.reduce_mean(tf.square(model(x) - y))
gradients = tape.gradient(loss, model.trainable_variables)
print([gradient.shape for gradient in gradients])
