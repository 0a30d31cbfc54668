"""I give the gradient, which is None, to tf.reduce_mean

lesson: unwatched_tensor
kind: mistake
cause: unwatched
"""

import tensorflow as tf

x = tf.constant(3.0)
with tf.GradientTape() as tape:
    y = x * x
print(tf.reduce_mean(tape.gradient(y, x)))
