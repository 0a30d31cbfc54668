"""A Hessian from two tapes

lesson: one_tape_many_gradients
kind: recipe
claim: The Jacobian of a gradient, both inside the outer tape.
expect: value
"""

import tensorflow as tf

x = tf.constant([1.0, 2.0])
with tf.GradientTape() as outer:
    outer.watch(x)
    with tf.GradientTape() as inner:
        inner.watch(x)
        y = tf.reduce_sum(x * x * x)
    first = inner.gradient(y, x)
print(outer.jacobian(first, x))
