"""I ask for the gradient of a slice, x[0], and used all of x

lesson: outside_the_tape
kind: broken
cause: derived_source
"""

import tensorflow as tf

x = tf.constant([1.0, 2.0, 3.0])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.reduce_sum(x * x)
print(tape.gradient(y, x[0]))
