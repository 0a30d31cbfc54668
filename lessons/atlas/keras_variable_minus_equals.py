"""I write w -= rate * gradient for a layer's weight

lesson: variables_and_state
kind: mistake
cause: rebound
"""

import tensorflow as tf

keras = tf.keras

layer = keras.layers.Dense(1, kernel_initializer="ones")
x = tf.ones((1, 1))
layer(x)
w = layer.kernel
w -= 0.5
with tf.GradientTape() as tape:
    y = layer(x)
print(tape.gradient(y, w))
