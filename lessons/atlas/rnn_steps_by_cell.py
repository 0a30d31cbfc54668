"""The cell called step by step

lesson: recurrent_outputs
kind: recipe
claim: Each state is a source when the cell is called by hand.
expect: value
"""

import tensorflow as tf

keras = tf.keras

cell = keras.layers.SimpleRNNCell(
    1, activation=None, kernel_initializer="ones", recurrent_initializer="ones"
)
states, steps = [tf.zeros((1, 1))], []
with tf.GradientTape() as tape:
    for _ in range(3):
        output, states = cell(tf.ones((1, 1)), states)
        steps.append(states[0])
    y = steps[-1] * 2.0
print(tape.gradient(y, steps))
