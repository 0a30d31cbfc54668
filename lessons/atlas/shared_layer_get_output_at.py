"""layer.get_output_at(1) of a layer that a model calls twice

lesson: intermediate_activations
kind: recipe
claim: The output of each call can be asked for.
expect: symbolic
"""

import tensorflow as tf

keras = tf.keras

layer = keras.layers.Dense(2, name="shared")
inputs = keras.Input((2,))
model = keras.Model(inputs, layer(layer(inputs)))
print(model.get_layer("shared").get_output_at(1))
