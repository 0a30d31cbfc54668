"""The square root, or the norm, of zero

lesson: not_none_but_wrong
kind: mistake
cause: nan
"""

import tensorflow as tf

x = tf.zeros(3)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.norm(x)
print(tape.gradient(y, x))
