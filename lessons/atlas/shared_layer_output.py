"""layer.output of a layer that a model calls twice

lesson: intermediate_activations
kind: recipe
cause: other_call
claim: A layer has one output.
expect: symbolic
"""

import tensorflow as tf

keras = tf.keras

layer = keras.layers.Dense(2, name="shared")
inputs = keras.Input((2,))
model = keras.Model(inputs, layer(layer(inputs)))
print(model.get_layer("shared").output)
