"""My loss uses argmax

lesson: not_differentiable
kind: broken
cause: not_differentiable
"""

import tensorflow as tf

x = tf.constant([1.0, 2.0, 3.0])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.cast(tf.argmax(x), tf.float32)
print(tape.gradient(y, x))
