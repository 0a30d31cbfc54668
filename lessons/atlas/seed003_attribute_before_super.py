"""The cell of the question sets self.units before super().__init__

lesson: recurrent_outputs
kind: seed
seed: 003
claim: A layer may set its attributes before it calls super().__init__.
expect: value
"""

import tensorflow as tf

keras = tf.keras


class Double(keras.layers.Layer):
    def __init__(self, units):
        self.units = units
        super().__init__()

    def call(self, inputs):
        return inputs * 2.0


print(Double(2)(tf.ones((1, 2))))
