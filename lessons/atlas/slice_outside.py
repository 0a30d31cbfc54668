"""I slice the output after the block

lesson: outside_the_tape
kind: mistake
cause: outside_tape
"""

import tensorflow as tf

x = tf.constant([1.0, 2.0, 3.0])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = x * x
print(tape.gradient(y[0], x))
