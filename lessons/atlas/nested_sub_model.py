"""A model from the nested model's own input to its inner layer

lesson: nested_models
kind: recipe
claim: keras.Model(inner.input, inner_layer.output) works by itself.
expect: value
"""

import tensorflow as tf

keras = tf.keras

inputs = keras.Input((2,))
hidden = keras.layers.Dense(2, kernel_initializer="ones", name="hidden")(inputs)
model = keras.Model(inputs, keras.layers.Dense(1, kernel_initializer="ones")(hidden))
x = tf.constant([[1.0, 2.0]])
outer_inputs = keras.Input((2,))
outer = keras.Model(outer_inputs, model(outer_inputs))
inner = outer.layers[-1]
print(keras.Model(inner.input, inner.get_layer("hidden").output)(x))
