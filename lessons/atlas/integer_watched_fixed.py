"""I cast the integer before I watch it

lesson: not_differentiable
kind: fixed
cause: integer_dtype
"""

import tensorflow as tf

x = tf.cast(tf.constant(3), tf.float32)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = x * x
print(tape.gradient(y, x))
