"""The same layers in a Sequential that knows its input shape: layer.output

lesson: no_inbound_nodes
kind: seed
seed: 003
claim: With a Sequential the AttributeError disappears.
expect: symbolic
"""

import tensorflow as tf

keras = tf.keras

rnn = keras.layers.SimpleRNN(2, name="minimalrnn", input_shape=(5, 1))
model = keras.Sequential([rnn, keras.layers.Dense(4)])
print(model.get_layer("minimalrnn").output)
