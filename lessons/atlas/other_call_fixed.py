"""I compute the loss from the very call whose output I ask about

lesson: outside_the_tape
kind: fixed
cause: other_call
"""

import tensorflow as tf

keras = tf.keras

hidden = keras.layers.Dense(2, kernel_initializer="ones")
last = keras.layers.Dense(1, kernel_initializer="ones")
x = tf.constant([[1.0, 2.0]])
with tf.GradientTape() as tape:
    activation = hidden(x)
    y = last(activation)
print(tape.gradient(y, activation))
