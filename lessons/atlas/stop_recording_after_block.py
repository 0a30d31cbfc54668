"""I call stop_recording after the block

lesson: one_tape_many_gradients
kind: mistake
"""

import tensorflow as tf

x = tf.constant(3.0)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = x * x
with tape.stop_recording():
    doubled = y * 2.0
print(doubled)
