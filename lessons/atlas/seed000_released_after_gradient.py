"""An ordinary tape is empty after its first answer

lesson: one_tape_many_gradients
kind: seed
seed: 000
cause: spent_tape
claim: A tape releases what it holds after a gradient; a second call is an error.
expect: RuntimeError
"""

import tensorflow as tf

w = tf.Variable(3.0)
with tf.GradientTape() as tape:
    y = w * w
tape.gradient(y, w)
print(tape.gradient(y, w))
