"""I write x + tf.stop_gradient(tf.round(x) - x)

lesson: not_differentiable
kind: recipe
claim: The straight-through estimator passes the gradient through a rounding.
expect: value
"""

import tensorflow as tf

x = tf.constant([1.2, 2.7])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = x + tf.stop_gradient(tf.round(x) - x)
print(tape.gradient(y, x))
