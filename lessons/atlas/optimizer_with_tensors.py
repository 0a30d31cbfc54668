"""I give the optimizer tensors, not variables

lesson: variables_and_state
kind: mistake
cause: rebound
"""

import tensorflow as tf

keras = tf.keras

optimizer = keras.optimizers.SGD()
w = tf.constant(3.0)
optimizer.apply_gradients([(tf.ones(()), w)])
print(w)
