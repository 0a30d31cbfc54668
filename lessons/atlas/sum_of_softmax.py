"""The sum of a softmax as the loss

lesson: not_none_but_wrong
kind: mistake
"""

import tensorflow as tf

x = tf.constant([[0.0, 0.0]])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.nn.softmax(x)
print(tape.gradient(y, x))
