"""My loss uses tf.linalg.lu

lesson: not_differentiable
kind: mistake
cause: unregistered_gradient
"""

import tensorflow as tf

x = tf.constant([[2.0, 1.0], [1.0, 3.0]])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.linalg.lu(x)[0]
print(tape.gradient(y, x))
