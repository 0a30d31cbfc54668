"""keras.optimizers.legacy.Adam().minimize

lesson: gradients_while_training
kind: recipe
claim: The optimizers of earlier releases are kept in the module legacy.
expect: value
"""

import tensorflow as tf

keras = tf.keras

w = tf.Variable(3.0)
keras.optimizers.legacy.Adam().minimize(lambda: w * w, [w])
print(w)
