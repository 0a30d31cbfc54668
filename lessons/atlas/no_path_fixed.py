"""The loss uses the variable

lesson: what_the_tape_records
kind: fixed
cause: no_path
"""

import tensorflow as tf

w = tf.Variable(3.0)
x = tf.constant(2.0)
with tf.GradientTape() as tape:
    y = x * x * w
print(tape.gradient(y, w))
