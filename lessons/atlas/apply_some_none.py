"""The optimizer gets a None beside a gradient

lesson: gradients_while_training
kind: recipe
claim: Variables without a gradient are skipped.
expect: value
"""

import tensorflow as tf

keras = tf.keras

a, b = tf.Variable(3.0), tf.Variable(3.0)
keras.optimizers.SGD(1.0).apply_gradients([(tf.constant(1.0), a), (None, b)])
print(a)
