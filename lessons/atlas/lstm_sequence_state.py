"""The gradient of an LSTM's returned state

lesson: recurrent_outputs
kind: recipe
claim: A state from return_state=True is a source.
expect: value
"""

import tensorflow as tf

keras = tf.keras

layer = keras.layers.LSTM(2, return_state=True, kernel_initializer="ones")
with tf.GradientTape() as tape:
    output, h, c = layer(tf.ones((1, 3, 1)))
    y = tf.reduce_sum(h * h)
print(tape.gradient(y, h).shape)
