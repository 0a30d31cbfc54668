"""I take the places from tf.unique and gather the values myself

lesson: not_differentiable
kind: fixed
cause: unregistered_gradient
"""

import tensorflow as tf

x = tf.constant([1.0, 2.0, 2.0])
places = tf.unique(tf.unique(x)[1])[0]
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.gather(x, places)
print(tf.convert_to_tensor(tape.gradient(y, x)))
