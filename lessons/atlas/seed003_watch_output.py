"""The question: tape.watch(model.get_layer("minimalrnn").output)

lesson: no_inbound_nodes
kind: seed
seed: 003
cause: never_called
claim: Watching the layer's output lets the tape differentiate with respect to it.
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
    tape.watch(model.get_layer("minimalrnn").output)
    loss = tf.reduce_mean(tf.square(model(x) - y))
print(tape.gradient(loss, model.trainable_variables))
