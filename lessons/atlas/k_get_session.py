"""K.get_session()

lesson: symbolic_outputs
kind: recipe
claim: The session in which to run a gradient tensor.
expect: a Session
"""

import tensorflow as tf

keras = tf.keras

print(keras.backend.get_session())
