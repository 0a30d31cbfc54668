"""I watch my input first

lesson: unwatched_tensor
kind: fixed
cause: unwatched
"""

import tensorflow as tf

x = tf.constant(3.0)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = x * x
print(tape.gradient(y, x))
