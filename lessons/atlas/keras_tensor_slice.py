"""inputs[:, 0:1] between two layers of a functional model

lesson: symbolic_outputs
kind: recipe
claim: Slices may stand between layers.
expect: value
"""

import tensorflow as tf

keras = tf.keras

inputs = keras.Input((2,))
model = keras.Model(inputs, keras.layers.Dense(1, kernel_initializer="ones")(inputs[:, 0:1]))
print(model(tf.constant([[1.0, 2.0]])))
