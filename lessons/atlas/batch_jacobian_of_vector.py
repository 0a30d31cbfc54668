"""I ask batch_jacobian for the gradient of a vector

lesson: summed_targets
kind: mistake
"""

import tensorflow as tf

x = tf.constant([1.0, 2.0, 3.0])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = x * x
print(tape.batch_jacobian(y, x))
