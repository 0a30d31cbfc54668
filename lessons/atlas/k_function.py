"""K.function([model.input], [layer.output])

lesson: symbolic_outputs
kind: recipe
claim: A function from the model's input to an inner layer's output.
expect: list
"""

import tensorflow as tf

keras = tf.keras

inputs = keras.Input((2,))
hidden = keras.layers.Dense(2, kernel_initializer="ones", name="hidden")(inputs)
model = keras.Model(inputs, keras.layers.Dense(1, kernel_initializer="ones")(hidden))
x = tf.constant([[1.0, 2.0]])
hidden = keras.backend.function([model.input], [model.get_layer("hidden").output])
print(hidden([x.numpy()]))
