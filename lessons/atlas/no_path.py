"""The loss does not depend on the variable

lesson: what_the_tape_records
kind: broken
cause: no_path
"""

import tensorflow as tf

w = tf.Variable(3.0)
x = tf.constant(2.0)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = x * x
print(tape.gradient(y, w))
