"""I made a tape without `with`

lesson: outside_the_tape
kind: mistake
cause: outside_tape
"""

import tensorflow as tf

tape = tf.GradientTape()
x = tf.constant(3.0)
print(tape.gradient(x * x, x))
