"""I compute from the value and assign it besides

lesson: variables_and_state
kind: fixed
cause: variable_state
"""

import tensorflow as tf

w = tf.Variable(0.0)
x = tf.constant(3.0)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = x * 2.0
w.assign(x)
print(tape.gradient(y, x))
