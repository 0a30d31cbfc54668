"""I ask for unconnected_gradients="zero"

lesson: what_the_tape_records
kind: recipe
cause: no_path
claim: Zeros instead of None where nothing leads from the source to the target.
expect: zero
"""

import tensorflow as tf

w = tf.Variable(3.0)
x = tf.constant(2.0)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = x * x
print(tape.gradient(y, w, unconnected_gradients="zero"))
