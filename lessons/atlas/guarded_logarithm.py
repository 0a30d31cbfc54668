"""tf.where guards a logarithm, and the gradient is NaN all the same

lesson: not_none_but_wrong
kind: broken
cause: nan
"""

import tensorflow as tf

x = tf.zeros(3)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.where(x > 0.0, x * tf.math.log(x), 2.0 * x)
print(tape.gradient(y, x))
