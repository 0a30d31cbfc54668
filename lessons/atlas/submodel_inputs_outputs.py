"""keras.Model(model.inputs, [layer.output, model.outputs]), functional model

lesson: symbolic_outputs
kind: recipe
claim: A model with the inner layer's output and the model's, both as lists.
expect: list
"""

import tensorflow as tf

keras = tf.keras

inputs = keras.Input((2,))
hidden = keras.layers.Dense(2, kernel_initializer="ones", name="hidden")(inputs)
model = keras.Model(inputs, keras.layers.Dense(1, kernel_initializer="ones")(hidden))
x = tf.constant([[1.0, 2.0]])
both = keras.Model(model.inputs, [model.get_layer("hidden").output, model.outputs])
print(both(x))
