"""tf.gradients and K.function after tf.compat.v1.disable_eager_execution()

lesson: symbolic_outputs
kind: recipe
cause: symbolic
claim: With eager execution off, tf.gradients works on model.output.
expect: value
"""

import numpy as np
import tensorflow as tf

keras = tf.keras

tf.compat.v1.disable_eager_execution()
inputs = keras.Input((2,), name="inputs")
dense = keras.layers.Dense(1, kernel_initializer="ones", name="dense")
model = keras.Model(inputs, dense(inputs))
gradients = tf.gradients(model.output, [model.input])
print(keras.backend.function([model.input], gradients)([np.ones((1, 2))])[0])
