"""I ask for a Jacobian with experimental_use_pfor=False

lesson: summed_targets
kind: mistake
"""

import tensorflow as tf

x = tf.constant([1.0, 2.0, 3.0])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = x * x
print(tape.jacobian(y, x, experimental_use_pfor=False))
