"""K.gradients inside a tf.function

lesson: symbolic_outputs
kind: recipe
claim: Inside a tf.function K.gradients works.
expect: list
"""

import tensorflow as tf

keras = tf.keras


@tf.function
def slope(x):
    return keras.backend.gradients(x * x, [x])


print(slope(tf.constant(3.0)))
