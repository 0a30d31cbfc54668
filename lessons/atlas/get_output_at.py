"""I call layer.get_output_at

lesson: intermediate_activations
kind: recipe
claim: The layer's output in its first call, to build a second model on.
expect: symbolic
"""

import tensorflow as tf

keras = tf.keras

inputs = keras.Input((2,), name="inputs")
dense = keras.layers.Dense(1, kernel_initializer="ones", name="dense")
model = keras.Model(inputs, dense(inputs))
print(dense.get_output_at(0))
