"""My loss uses tf.tanh in the place of tf.sign

lesson: not_none_but_wrong
kind: fixed
cause: zeros_flat
"""

import tensorflow as tf

x = tf.constant([1.0, 2.0, 3.0])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.tanh(x)
print(tape.gradient(y, x))
