"""layer.input in a functional model

lesson: intermediate_activations
kind: recipe
claim: The tensor that the layer was called on.
expect: symbolic
"""

import tensorflow as tf

keras = tf.keras

inputs = keras.Input((2,), name="inputs")
dense = keras.layers.Dense(1, kernel_initializer="ones", name="dense")
model = keras.Model(inputs, dense(inputs))
print(dense.input)
