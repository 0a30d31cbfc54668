"""K.function called on a tensor inside a tape

lesson: symbolic_outputs
kind: recipe
claim: What K.function returns can be differentiated with a tape.
expect: value
"""

import tensorflow as tf

keras = tf.keras

inputs = keras.Input((2,))
hidden = keras.layers.Dense(2, kernel_initializer="ones", name="hidden")(inputs)
model = keras.Model(inputs, keras.layers.Dense(1, kernel_initializer="ones")(hidden))
x = tf.constant([[1.0, 2.0]])
function = keras.backend.function([model.input], [model.get_layer("hidden").output, model.output])
with tf.GradientTape() as tape:
    activation, y = function([x])
print(tape.gradient(y, activation))
