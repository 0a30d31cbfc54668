"""The question left open: layer.output as the second argument of tape.gradient

lesson: symbolic_outputs
kind: seed
seed: 003
cause: symbolic
claim: The layer's output can be a source of tape.gradient.
expect: value
"""

import tensorflow as tf

keras = tf.keras

rnn = keras.layers.SimpleRNN(2, name="minimalrnn")
model = keras.Sequential([keras.Input((5, 1)), rnn, keras.layers.Dense(4)])
with tf.GradientTape() as tape:
    loss = tf.reduce_mean(tf.square(model(tf.ones((2, 5, 1)))))
print(tape.gradient(loss, rnn.output))
