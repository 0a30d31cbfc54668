"""A tape inside a tf.function

lesson: what_the_tape_records
kind: recipe
claim: A tape works the same in a traced function.
expect: value
"""

import tensorflow as tf


@tf.function
def slope(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    return tape.gradient(y, x)


print(slope(tf.constant(3.0)))
