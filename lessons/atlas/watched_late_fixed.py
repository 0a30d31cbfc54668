"""I watch my input before each operation that uses it

lesson: unwatched_tensor
kind: fixed
cause: watched_late
"""

import tensorflow as tf

x = tf.constant(3.0)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = x * x
    z = x + y
print(tape.gradient(z, x))
