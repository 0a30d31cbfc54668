"""[layer.output for layer in model.layers], functional model

lesson: symbolic_outputs
kind: recipe
claim: A model that returns every layer's output.
expect: list
"""

import tensorflow as tf

keras = tf.keras

inputs = keras.Input((2,))
hidden = keras.layers.Dense(2, kernel_initializer="ones", name="hidden")(inputs)
model = keras.Model(inputs, keras.layers.Dense(1, kernel_initializer="ones")(hidden))
x = tf.constant([[1.0, 2.0]])
every = keras.Model(model.inputs, [layer.output for layer in model.layers])
print(every(x))
