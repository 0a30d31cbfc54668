"""My loss uses tf.stop_gradient

lesson: not_differentiable
kind: broken
cause: stop_gradient
"""

import tensorflow as tf

x = tf.constant(3.0)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.stop_gradient(x) ** 2
print(tape.gradient(y, x))
