"""I call get_gradients of an optimizer with clipvalue

lesson: symbolic_outputs
kind: recipe
cause: symbolic
claim: The gradients come clipped.
expect: value [[0.5], [0.5]]
"""

import numpy as np
import tensorflow as tf

keras = tf.keras

inputs = keras.Input((2,), name="inputs")
dense = keras.layers.Dense(1, kernel_initializer="ones", name="dense")
model = keras.Model(inputs, dense(inputs))
optimizer = keras.optimizers.SGD(clipvalue=0.5)
gradients = optimizer.get_gradients(model.output, model.trainable_variables)
print(keras.backend.function([model.input], gradients)([np.ones((1, 2))])[0])
