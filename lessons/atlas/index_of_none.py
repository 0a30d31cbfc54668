"""I index the gradient, which is None

lesson: unwatched_tensor
kind: mistake
cause: unwatched
"""

import tensorflow as tf

x = tf.constant([1.0, 2.0])
with tf.GradientTape() as tape:
    y = x * x
print(tape.gradient(y, x)[0])
