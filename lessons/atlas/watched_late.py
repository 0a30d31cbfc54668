"""I watch my input after the operation that uses it

lesson: unwatched_tensor
kind: broken
cause: watched_late
"""

import tensorflow as tf

x = tf.constant(3.0)
with tf.GradientTape() as tape:
    y = x * x
    tape.watch(x)
print(tape.gradient(y, x))
