"""I compute only what is no link inside stop_recording

lesson: outside_the_tape
kind: fixed
cause: recording_stopped
"""

import tensorflow as tf

x = tf.constant(3.0)
with tf.GradientTape() as tape:
    tape.watch(x)
    square = x * x
    with tape.stop_recording():
        shown = square * 100.0
    y = square + 1.0
print(tape.gradient(y, x))
