"""I ask for the gradient of an integer variable: tf.Variable(3)

lesson: not_differentiable
kind: mistake
cause: integer_dtype
"""

import tensorflow as tf

w = tf.Variable(3)
with tf.GradientTape() as tape:
    y = tf.cast(w, tf.float32) ** 2
print(tape.gradient(y, w))
