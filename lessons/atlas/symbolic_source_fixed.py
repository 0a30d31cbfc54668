"""I give layer.output to a second model and run that

lesson: symbolic_outputs
kind: fixed
cause: symbolic
"""

import tensorflow as tf

keras = tf.keras

inputs = keras.Input((2,))
hidden = keras.layers.Dense(2, kernel_initializer="ones", name="hidden")(inputs)
model = keras.Model(inputs, keras.layers.Dense(1, kernel_initializer="ones")(hidden))
both = keras.Model(model.inputs, [model.get_layer("hidden").output, model.output])
with tf.GradientTape() as tape:
    activation, y = both(tf.constant([[1.0, 2.0]]))
print(tape.gradient(y, activation))
