"""keras.Model([model.inputs], …), a list in a list

lesson: symbolic_outputs
kind: recipe
claim: A model that ends at an inner layer.
expect: value
"""

import tensorflow as tf

keras = tf.keras

inputs = keras.Input((2,))
hidden = keras.layers.Dense(2, kernel_initializer="ones", name="hidden")(inputs)
model = keras.Model(inputs, keras.layers.Dense(1, kernel_initializer="ones")(hidden))
x = tf.constant([[1.0, 2.0]])
print(keras.Model([model.inputs], model.get_layer("hidden").output)(x))
