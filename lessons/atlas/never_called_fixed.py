"""I keep what the layer returned when it was called on data

lesson: no_inbound_nodes
kind: fixed
cause: never_called
"""

import tensorflow as tf

keras = tf.keras

layer = keras.layers.Dense(1, kernel_initializer="ones", name="dense")
head = keras.layers.Dense(1, kernel_initializer="ones")
with tf.GradientTape() as tape:
    activation = layer(tf.constant([[1.0, 2.0]]))
    y = head(activation)
print(tape.gradient(y, activation))
