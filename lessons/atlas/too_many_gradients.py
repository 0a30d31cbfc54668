"""My custom_gradient returns too many gradients

lesson: not_differentiable
kind: mistake
cause: custom_gradient
"""

import tensorflow as tf


@tf.custom_gradient
def square(x):
    return x * x, lambda upstream: (upstream, upstream)


x = tf.constant(3.0)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = square(x)
print(tape.gradient(y, x))
