"""Sequential: model with two outputs

lesson: no_inbound_nodes
kind: mistake
"""

import numpy as np
import tensorflow as tf

keras = tf.keras


class LeakyCell(keras.layers.Layer):
    def __init__(self, units):
        super().__init__()
        self.units = self.state_size = units

    def build(self, input_shape):
        self.kernel = self.add_weight(shape=(input_shape[-1], self.units), name="kernel")
        self.keep = self.add_weight(shape=(self.units,), name="keep")
        self.built = True

    def call(self, inputs, states):
        state = tf.matmul(inputs, self.kernel) + self.keep * states[0]
        return state, [state]


x = tf.constant([[[1.0], [2.0], [3.0]], [[2.0], [0.0], [1.0]]])
y = tf.constant([[1.5], [1.0]])
weights = [
    np.array([[1.0, 1.0]]),
    np.array([0.5, 1.0]),
    np.array([[2.0], [-1.0]]),
    np.array([0.0]),
]
rnn = keras.layers.RNN(LeakyCell(2), name="leaky_rnn")
model = keras.Sequential([keras.Input((3, 1)), rnn, keras.layers.Dense(1)])
model.set_weights(weights)
both = keras.Model(model.inputs, [rnn.output, model.outputs[0]])
with tf.GradientTape() as tape:
    hidden, output = both(x)
    loss = tf.reduce_mean((output - y) ** 2)
print(tape.gradient(loss, hidden))
