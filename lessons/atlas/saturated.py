"""A softmax or sigmoid that is sure of itself

lesson: not_none_but_wrong
kind: mistake
cause: zeros_saturated
"""

import tensorflow as tf

x = tf.constant([101.0, 102.0, 103.0])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.sigmoid(x)
print(tape.gradient(y, x))
