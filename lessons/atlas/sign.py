"""My loss uses tf.sign

lesson: not_none_but_wrong
kind: broken
cause: zeros_flat
"""

import tensorflow as tf

x = tf.constant([1.0, 2.0, 3.0])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.sign(x)
print(tape.gradient(y, x))
