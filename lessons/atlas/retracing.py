"""I call a tf.function on six Python numbers

lesson: summed_targets
kind: mistake
"""

import tensorflow as tf


@tf.function
def square(x):
    return tf.square(x)


print([square(float(n)) for n in range(6)][-1])
