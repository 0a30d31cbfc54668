"""tape.watch([a, b])

lesson: unwatched_tensor
kind: recipe
claim: A list of tensors can be watched at once.
expect: value
"""

import tensorflow as tf

a, b = tf.constant(2.0), tf.constant(3.0)
with tf.GradientTape() as tape:
    tape.watch([a, b])
    y = a * b
print(tape.gradient(y, [a, b]))
