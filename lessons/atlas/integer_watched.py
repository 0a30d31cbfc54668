"""I watch an integer tensor

lesson: not_differentiable
kind: broken
cause: integer_dtype
"""

import tensorflow as tf

x = tf.constant(3)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = x * x
print(tape.gradient(y, x))
