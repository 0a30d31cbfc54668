"""Dropout when the model is called without training=True

lesson: gradients_while_training
kind: recipe
claim: A call inside a tape drops units, as fit does.
expect: value False
"""

import tensorflow as tf

keras = tf.keras

layer = keras.layers.Dropout(0.9)
with tf.GradientTape():
    y = layer(tf.ones((1, 50)))
print(bool(tf.reduce_all(y == 1.0)))
