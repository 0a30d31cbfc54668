"""I call tape.reset() and then ask

lesson: outside_the_tape
kind: mistake
cause: recording_stopped
"""

import tensorflow as tf

x = tf.constant(3.0)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = x * x
    tape.reset()
print(tape.gradient(y, x))
