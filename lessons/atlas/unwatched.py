"""I never watched my input

lesson: unwatched_tensor
kind: broken
cause: unwatched
"""

import tensorflow as tf

x = tf.constant(3.0)
with tf.GradientTape() as tape:
    y = x * x
print(tape.gradient(y, x))
