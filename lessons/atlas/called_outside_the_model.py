"""layer.output after the layer was called on a second Input

lesson: intermediate_activations
kind: recipe
cause: other_call
claim: layer.output belongs to the model that the layer was made for.
expect: symbolic
"""

import tensorflow as tf

keras = tf.keras

inputs = keras.Input((2,), name="inputs")
dense = keras.layers.Dense(1, kernel_initializer="ones", name="dense")
model = keras.Model(inputs, dense(inputs))
dense(keras.Input((2,)))
print(dense.output)
