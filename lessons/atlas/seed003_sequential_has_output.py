"""The same layers in a Sequential, called on data: layer.output

lesson: no_inbound_nodes
kind: seed
seed: 003
cause: never_called
claim: With a Sequential the AttributeError disappears.
expect: symbolic
"""

import tensorflow as tf

keras = tf.keras

rnn = keras.layers.SimpleRNN(2, name="minimalrnn")
model = keras.Sequential([rnn, keras.layers.Dense(4)])
model(tf.ones((2, 5, 1)))
print(model.get_layer("minimalrnn").output)
