"""I ask a tape for a Jacobian after a gradient

lesson: one_tape_many_gradients
kind: mistake
cause: spent_tape
"""

import tensorflow as tf

x = tf.constant([1.0, 2.0, 3.0])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = x * x
tape.gradient(y, x)
print(tape.jacobian(y, x))
