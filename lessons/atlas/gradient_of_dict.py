"""tape.gradient(loss, {"x": x})

lesson: one_tape_many_gradients
kind: recipe
claim: The gradients come in the arrangement of the sources.
expect: value 4.0
"""

import tensorflow as tf

x = tf.constant(2.0)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = x * x
print(tape.gradient(y, {"x": x})["x"])
