"""My loss uses tf.stop_gradient on one factor alone

lesson: not_differentiable
kind: fixed
cause: stop_gradient
"""

import tensorflow as tf

x = tf.constant(3.0)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.stop_gradient(x) * x
print(tape.gradient(y, x))
