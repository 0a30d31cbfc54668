"""I ask for an RNN's returned sequence, at the earlier steps

lesson: recurrent_outputs
kind: mistake
"""

import tensorflow as tf

keras = tf.keras

rnn = keras.layers.SimpleRNN(2, return_sequences=True)
with tf.GradientTape() as tape:
    states = rnn(tf.ones((1, 3, 1)))
    y = tf.reduce_sum(states[:, -1])
print(tape.gradient(y, states)[:, :-1])
