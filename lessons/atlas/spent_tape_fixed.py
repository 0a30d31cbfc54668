"""I ask a persistent tape a second time

lesson: one_tape_many_gradients
kind: fixed
cause: spent_tape
"""

import tensorflow as tf

x = tf.constant(3.0)
with tf.GradientTape(persistent=True) as tape:
    tape.watch(x)
    y = x * x
tape.gradient(y, x)
print(tape.gradient(y, x))
