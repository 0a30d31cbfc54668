"""K.set_learning_phase(0)

lesson: symbolic_outputs
kind: recipe
claim: Sets inference mode for all layers.
expect: None
"""

import tensorflow as tf

keras = tf.keras

print(keras.backend.set_learning_phase(0))
