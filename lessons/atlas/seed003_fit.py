"""The model of the question, fitted

lesson: gradients_while_training
kind: seed
seed: 003
claim: model.fit trains the subclassed model with its own cell.
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
model.compile(optimizer="sgd", loss="mse")
model.fit(x, y, epochs=2, batch_size=1, validation_split=0.5, verbose=0)
print(model.get_weights()[0].shape)
