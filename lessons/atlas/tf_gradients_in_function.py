"""tf.gradients inside a tf.function

lesson: what_the_tape_records
kind: recipe
claim: Inside a tf.function tf.gradients works.
expect: list
"""

import tensorflow as tf


@tf.function
def slope(x):
    return tf.gradients(x * x, [x])


print(slope(tf.constant(3.0)))
