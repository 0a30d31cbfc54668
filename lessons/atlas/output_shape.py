"""layer.output_shape

lesson: intermediate_activations
kind: recipe
claim: The shape of the layer's output.
expect: value
"""

import tensorflow as tf

keras = tf.keras

inputs = keras.Input((2,), name="inputs")
dense = keras.layers.Dense(1, kernel_initializer="ones", name="dense")
model = keras.Model(inputs, dense(inputs))
print(dense.output_shape)
