"""My custom_gradient returns the gradient times the upstream one

lesson: not_differentiable
kind: fixed
cause: custom_gradient
"""

import tensorflow as tf


@tf.custom_gradient
def square(x):
    return x * x, lambda upstream: upstream * 2.0 * x


x = tf.constant(3.0)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = square(x)
print(tape.gradient(y, x))
