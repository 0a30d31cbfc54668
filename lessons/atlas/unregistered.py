"""My loss uses an operation without a gradient, tf.unique

lesson: not_differentiable
kind: broken
cause: unregistered_gradient
"""

import tensorflow as tf

x = tf.constant([1.0, 2.0, 2.0])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.unique(x)[0]
print(tape.gradient(y, x))
