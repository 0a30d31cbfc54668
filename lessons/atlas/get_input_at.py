"""I call layer.get_input_at

lesson: intermediate_activations
kind: recipe
claim: The layer's input in its first call.
expect: symbolic
"""

import tensorflow as tf

keras = tf.keras

inputs = keras.Input((2,), name="inputs")
dense = keras.layers.Dense(1, kernel_initializer="ones", name="dense")
model = keras.Model(inputs, dense(inputs))
print(dense.get_input_at(0))
