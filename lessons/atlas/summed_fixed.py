"""My target is a vector, and I ask for its Jacobian

lesson: summed_targets
kind: fixed
cause: summed
"""

import tensorflow as tf

x = tf.constant(2.0)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.stack([x, x * x])
print(tape.jacobian(y, x))
