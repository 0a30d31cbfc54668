"""My target is a vector, and I want the gradient of each element

lesson: summed_targets
kind: broken
cause: summed
"""

import tensorflow as tf

x = tf.constant(2.0)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.stack([x, x * x])
print(tape.gradient(y, x))
