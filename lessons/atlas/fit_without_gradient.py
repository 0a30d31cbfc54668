"""I fit a model whose loss has no gradient

lesson: not_differentiable
kind: mistake
cause: not_differentiable
"""

import numpy as np
import tensorflow as tf

keras = tf.keras

inputs = keras.Input((2,), name="inputs")
dense = keras.layers.Dense(1, kernel_initializer="ones", name="dense")
model = keras.Model(inputs, dense(inputs))
model.compile(optimizer="sgd", loss=lambda y, p: tf.reduce_mean(tf.round(p)))
model.fit(np.ones((1, 2)), np.ones((1, 1)), verbose=0)
print(model.get_weights()[0])
