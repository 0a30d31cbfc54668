"""My loss is an integer

lesson: not_differentiable
kind: mistake
cause: integer_dtype
"""

import tensorflow as tf

x = tf.constant(3.0)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.cast(x * x, tf.int32)
print(tape.gradient(y, x))
