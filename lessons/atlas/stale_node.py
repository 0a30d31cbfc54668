"""I built a Sequential with add and made a second model of it

lesson: intermediate_activations
kind: mistake
cause: other_call
"""

import tensorflow as tf

keras = tf.keras

model = keras.Sequential()
# Keras 3 wants an Input here; before it, an InputLayer did the same.
model.add(keras.Input((2,)) if hasattr(keras, "ops") else keras.layers.InputLayer((2,)))
model.add(keras.layers.Dense(2, kernel_initializer="ones", name="hidden"))
model.add(keras.layers.Dense(1, kernel_initializer="ones"))
both = keras.Model(model.inputs, [model.get_layer("hidden").output, model.outputs[0]])
with tf.GradientTape() as tape:
    activation, y = both(tf.constant([[1.0, 2.0]]))
print(tape.gradient(y, activation))
