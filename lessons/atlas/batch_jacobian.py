"""batch_jacobian of a dense layer

lesson: summed_targets
kind: recipe
claim: One Jacobian for each example.
expect: value
"""

import tensorflow as tf

keras = tf.keras

layer = keras.layers.Dense(2, kernel_initializer="ones")
x = tf.ones((3, 2))
with tf.GradientTape() as tape:
    tape.watch(x)
    y = layer(x)
print(tape.batch_jacobian(y, x))
