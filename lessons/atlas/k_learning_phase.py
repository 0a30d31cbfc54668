"""K.function with K.learning_phase()

lesson: symbolic_outputs
kind: recipe
claim: The learning phase is an input of the function.
expect: list
"""

import tensorflow as tf

keras = tf.keras

inputs = keras.Input((2,))
hidden = keras.layers.Dense(2, kernel_initializer="ones", name="hidden")(inputs)
model = keras.Model(inputs, keras.layers.Dense(1, kernel_initializer="ones")(hidden))
x = tf.constant([[1.0, 2.0]])
K = keras.backend
function = K.function([model.input, K.learning_phase()], [model.get_layer("hidden").output])
print(function([x.numpy(), 0]))
