"""model.output[:, k] with k from np.argmax

lesson: symbolic_outputs
kind: recipe
claim: The class's score can be cut out with an index from NumPy.
expect: symbolic
"""

import numpy as np
import tensorflow as tf

keras = tf.keras

inputs = keras.Input((2,), name="inputs")
dense = keras.layers.Dense(1, kernel_initializer="ones", name="dense")
model = keras.Model(inputs, dense(inputs))
print(model.output[:, np.argmax([1.0])])
