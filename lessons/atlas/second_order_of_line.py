"""The second derivative of a straight line

lesson: one_tape_many_gradients
kind: mistake
cause: second_order
"""

import tensorflow as tf

x = tf.constant(3.0)
with tf.GradientTape() as outer:
    outer.watch(x)
    with tf.GradientTape() as inner:
        inner.watch(x)
        y = 2.0 * x
    first = inner.gradient(y, x)
print(outer.gradient(first, x))
