"""The gradient of an LSTM's state when the loss uses the output

lesson: recurrent_outputs
kind: recipe
claim: The output and the state h are the same tensor.
expect: value
"""

import tensorflow as tf

keras = tf.keras

layer = keras.layers.LSTM(2, return_state=True, kernel_initializer="ones")
with tf.GradientTape() as tape:
    output, h, c = layer(tf.ones((1, 3, 1)))
    y = tf.reduce_sum(output)
print(tape.gradient(y, h))
