"""My loss uses round, or a threshold

lesson: not_differentiable
kind: mistake
cause: not_differentiable
"""

import tensorflow as tf

x = tf.constant([1.0, 2.0, 3.0])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.round(x)
print(tape.gradient(y, x))
