"""All weights of a BatchNormalization as sources

lesson: unwatched_tensor
kind: recipe
cause: non_trainable
claim: layer.weights gives a gradient for each.
expect: value
"""

import tensorflow as tf

keras = tf.keras

layer = keras.layers.BatchNormalization()
layer(tf.ones((2, 1)))
with tf.GradientTape() as tape:
    y = layer(tf.constant([[1.0], [2.0]]))
print(tape.gradient(y, layer.weights))
