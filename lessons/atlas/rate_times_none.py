"""I multiply the gradient, which is None, by a learning rate

lesson: unwatched_tensor
kind: mistake
cause: unwatched
"""

import tensorflow as tf

x = tf.constant(3.0)
with tf.GradientTape() as tape:
    y = x * x
print(0.1 * tape.gradient(y, x))
