"""tf.clip_by_value outside its range

lesson: not_none_but_wrong
kind: mistake
cause: zeros_saturated
"""

import tensorflow as tf

x = tf.constant([5.0, 7.0])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.clip_by_value(x, 0.0, 1.0)
print(tape.gradient(y, x))
