"""tf.Variable(y) between the source and the loss

lesson: variables_and_state
kind: mistake
cause: variable_state
"""

import tensorflow as tf

x = tf.constant(3.0)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.Variable(x * x)
    loss = y * 2.0
print(tape.gradient(loss, x))
