"""tape.gradient([a, b], x)

lesson: summed_targets
kind: recipe
cause: summed
claim: One gradient for each target.
expect: list
"""

import tensorflow as tf

x = tf.constant(2.0)
with tf.GradientTape() as tape:
    tape.watch(x)
    a, b = x * x, 3.0 * x
print(tape.gradient([a, b], x))
