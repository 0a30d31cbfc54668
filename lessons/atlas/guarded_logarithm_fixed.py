"""tf.where guards what goes into the logarithm, too

lesson: not_none_but_wrong
kind: fixed
cause: nan
"""

import tensorflow as tf

x = tf.zeros(3)
with tf.GradientTape() as tape:
    tape.watch(x)
    safe = tf.where(x > 0.0, x, tf.ones_like(x))
    y = tf.where(x > 0.0, x * tf.math.log(safe), 2.0 * x)
print(tape.gradient(y, x))
