"""SimpleRNN(unroll=True) on an Input of unknown length

lesson: recurrent_outputs
kind: mistake
"""

import tensorflow as tf

keras = tf.keras

rnn = keras.layers.SimpleRNN(2, unroll=True)
print(rnn(keras.Input((None, 1))))
