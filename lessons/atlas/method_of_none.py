"""I call a method on the gradient, which is None

lesson: unwatched_tensor
kind: mistake
cause: unwatched
"""

import tensorflow as tf

x = tf.constant(3.0)
with tf.GradientTape() as tape:
    y = x * x
print(tape.gradient(y, x).numpy())
