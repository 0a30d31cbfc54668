"""The two lines left as comments: keras.Input and model.call

lesson: no_inbound_nodes
kind: seed
seed: 003
claim: model.call on an Input, tried in the question, gives the layer an output.
expect: symbolic
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
inputs = keras.Input(shape=(5, 1))
model.call(inputs)
print(model.get_layer("minimalrnn").output)
