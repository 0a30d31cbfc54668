"""A relu unit that is below zero for every example

lesson: not_none_but_wrong
kind: broken
cause: zeros_saturated
"""

import tensorflow as tf

x = tf.constant([-1.0, -2.0, -3.0])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.nn.relu(x)
print(tape.gradient(y, x))
