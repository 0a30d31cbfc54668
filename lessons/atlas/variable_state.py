"""My value goes through a variable's assign

lesson: variables_and_state
kind: broken
cause: variable_state
"""

import tensorflow as tf

w = tf.Variable(0.0)
x = tf.constant(3.0)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = w.assign(x) * 2.0
print(tape.gradient(y, x))
