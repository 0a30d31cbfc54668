"""tf.math.divide_no_nan(x, x) at zero

lesson: not_none_but_wrong
kind: recipe
cause: nan
claim: No NaN, in the value and in the gradient.
expect: zero
"""

import tensorflow as tf

x = tf.zeros(2)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.math.divide_no_nan(x, x)
print(tape.gradient(y, x))
