"""I compute a link inside stop_recording

lesson: outside_the_tape
kind: broken
cause: recording_stopped
"""

import tensorflow as tf

x = tf.constant(3.0)
with tf.GradientTape() as tape:
    tape.watch(x)
    with tape.stop_recording():
        square = x * x
    y = square + 1.0
print(tape.gradient(y, x))
