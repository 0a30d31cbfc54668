"""A threshold written as tf.cast(x > 0, tf.float32)

lesson: not_differentiable
kind: mistake
cause: not_differentiable
"""

import tensorflow as tf

x = tf.constant([1.0, -2.0])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.cast(x > 0.0, tf.float32)
print(tape.gradient(y, x))
