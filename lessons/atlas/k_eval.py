"""K.eval(layer.output)

lesson: symbolic_outputs
kind: recipe
claim: The value of a tensor.
expect: value
"""

import tensorflow as tf

keras = tf.keras

inputs = keras.Input((2,))
hidden = keras.layers.Dense(2, kernel_initializer="ones", name="hidden")(inputs)
model = keras.Model(inputs, keras.layers.Dense(1, kernel_initializer="ones")(hidden))
x = tf.constant([[1.0, 2.0]])
print(keras.backend.eval(model.get_layer("hidden").output))
