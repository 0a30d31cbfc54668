"""A gradient of 1e-8 in float16, without a loss scale

lesson: not_none_but_wrong
kind: mistake
cause: loss_scale
"""

import tensorflow as tf

x = tf.constant(1.0, tf.float16)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = x * 1e-4 * 1e-4
print(tape.gradient(y, x))
