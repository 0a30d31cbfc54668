"""My loss uses the weighted mean of the places, a soft argmax

lesson: not_differentiable
kind: fixed
cause: not_differentiable
"""

import tensorflow as tf

x = tf.constant([1.0, 2.0, 3.0])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.reduce_sum(tf.nn.softmax(x) * tf.range(3.0))
print(tape.gradient(y, x))
