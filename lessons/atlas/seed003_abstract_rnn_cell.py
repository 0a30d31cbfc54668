"""The cell of the question: a class derived from AbstractRNNCell

lesson: recurrent_outputs
kind: seed
seed: 003
claim: keras.layers.AbstractRNNCell is the class to derive a cell from.
expect: value
"""

import tensorflow as tf

keras = tf.keras


class Cell(keras.layers.AbstractRNNCell):
    def __init__(self, units):
        super().__init__()
        self.units = units

    @property
    def state_size(self):
        return self.units

    def build(self, input_shape):
        self.kernel = self.add_weight(
            shape=(input_shape[-1], self.units), initializer="ones", name="kernel"
        )
        self.built = True

    def call(self, inputs, states):
        output = tf.matmul(inputs, self.kernel) + states[0]
        return output, output


print(keras.layers.RNN(Cell(2))(tf.ones((1, 3, 1))))
