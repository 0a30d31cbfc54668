"""I ask batch_jacobian for a target without the batch axis

lesson: summed_targets
kind: mistake
"""

import tensorflow as tf

x = tf.ones((2, 3))
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.reduce_sum(x, axis=0)[:, None]
print(tape.batch_jacobian(y, x))
