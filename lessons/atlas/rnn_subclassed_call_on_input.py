"""subclassed, model.call on keras.Input: rnn.output

lesson: no_inbound_nodes
kind: mistake
"""

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


class Tank(keras.Model):
    def __init__(self):
        super().__init__()
        self.rnn = keras.layers.RNN(LeakyCell(2), name="leaky_rnn")
        self.out = keras.layers.Dense(1)

    def call(self, inputs):
        return self.out(self.rnn(inputs))


model = Tank()
model.call(keras.Input((3, 1)))
print(model.get_layer("leaky_rnn").output)
