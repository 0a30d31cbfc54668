"""I call tf.gradients on model.output

lesson: symbolic_outputs
kind: mistake
cause: symbolic
"""

import tensorflow as tf

keras = tf.keras

inputs = keras.Input((2,), name="inputs")
dense = keras.layers.Dense(1, kernel_initializer="ones", name="dense")
model = keras.Model(inputs, dense(inputs))
print(tf.gradients(model.output, [dense.output]))
