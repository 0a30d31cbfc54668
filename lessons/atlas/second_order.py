"""The first gradient was taken outside the outer tape

lesson: one_tape_many_gradients
kind: broken
cause: second_order
"""

import tensorflow as tf

x = tf.constant(3.0)
with tf.GradientTape() as outer:
    outer.watch(x)
    with tf.GradientTape() as inner:
        inner.watch(x)
        y = x * x * x
first = inner.gradient(y, x)
print(outer.gradient(first, x))
