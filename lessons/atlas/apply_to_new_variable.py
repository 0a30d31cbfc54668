"""One optimizer for variables that it has not seen

lesson: gradients_while_training
kind: recipe
claim: apply_gradients may be called with other variables than the first time.
expect: value
"""

import tensorflow as tf

keras = tf.keras

a, b = tf.Variable(3.0), tf.Variable(3.0)
optimizer = keras.optimizers.SGD(1.0)
optimizer.apply_gradients([(tf.constant(1.0), a)])
optimizer.apply_gradients([(tf.constant(1.0), b)])
print(b)
