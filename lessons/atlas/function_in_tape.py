"""A tape around a tf.function

lesson: what_the_tape_records
kind: recipe
claim: A tape records a traced function as one step.
expect: value
"""

import tensorflow as tf

square = tf.function(lambda x: x * x)
x = tf.constant(3.0)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = square(x)
print(tape.gradient(y, x))
