"""layer._inbound_nodes

lesson: intermediate_activations
kind: recipe
claim: One entry for each call of the layer.
expect: value 1
"""

import tensorflow as tf

keras = tf.keras

inputs = keras.Input((2,), name="inputs")
dense = keras.layers.Dense(1, kernel_initializer="ones", name="dense")
model = keras.Model(inputs, dense(inputs))
print(len(dense._inbound_nodes))
