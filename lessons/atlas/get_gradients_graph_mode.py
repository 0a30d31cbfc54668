"""optimizer.get_gradients after tf.compat.v1.disable_eager_execution()

lesson: symbolic_outputs
kind: recipe
cause: symbolic
claim: With eager execution off, an optimizer hands out the gradients.
expect: value
"""

import numpy as np
import tensorflow as tf

keras = tf.keras

tf.compat.v1.disable_eager_execution()
inputs = keras.Input((2,), name="inputs")
dense = keras.layers.Dense(1, kernel_initializer="ones", name="dense")
model = keras.Model(inputs, dense(inputs))
gradients = keras.optimizers.SGD().get_gradients(model.output, model.trainable_variables)
print(keras.backend.function([model.input], gradients)([np.ones((1, 2))])[0])
