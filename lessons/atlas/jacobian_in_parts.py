"""I ask for a Jacobian with parallel_iterations=1

lesson: summed_targets
kind: mistake
cause: spent_tape
"""

import tensorflow as tf

x = tf.constant([1.0, 2.0, 3.0])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = x * x
print(tape.jacobian(y, x, parallel_iterations=1))
