"""The gradient of an RNN's initial state

lesson: recurrent_outputs
kind: recipe
claim: A watched initial_state has a gradient.
expect: value
"""

import tensorflow as tf

keras = tf.keras

layer = keras.layers.SimpleRNN(
    1, activation=None, kernel_initializer="ones", recurrent_initializer="ones"
)
state = tf.ones((1, 1))
with tf.GradientTape() as tape:
    tape.watch(state)
    y = layer(tf.ones((1, 3, 1)), initial_state=state)
print(tape.gradient(y, state))
