"""My custom_gradient uses a variable

lesson: not_differentiable
kind: mistake
cause: custom_gradient
"""

import tensorflow as tf

w = tf.Variable(2.0)


@tf.custom_gradient
def scale(x):
    return w * x, lambda upstream: upstream * w


x = tf.constant(3.0)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = scale(x)
print(tape.gradient(y, x))
