"""My loss uses tf.image.resize with method="area"

lesson: not_differentiable
kind: mistake
cause: unregistered_gradient
"""

import tensorflow as tf

x = tf.ones((1, 4, 4, 1))
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.image.resize(x, (2, 2), method="area")
print(tape.gradient(y, x))
