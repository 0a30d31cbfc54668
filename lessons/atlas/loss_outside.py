"""I compute the loss after the block

lesson: outside_the_tape
kind: broken
cause: outside_tape
"""

import tensorflow as tf

x = tf.constant(3.0)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = x * x
loss = y + 1.0
print(tape.gradient(loss, x))
