"""layer.call replaced by a function that keeps the activation

lesson: intermediate_activations
kind: recipe
claim: What the replaced call keeps is a source of the same pass.
expect: value
"""

import tensorflow as tf

keras = tf.keras

inputs = keras.Input((2,))
hidden = keras.layers.Dense(2, kernel_initializer="ones", name="hidden")(inputs)
model = keras.Model(inputs, keras.layers.Dense(1, kernel_initializer="ones")(hidden))
x = tf.constant([[1.0, 2.0]])
layer = model.get_layer("hidden")
original, kept = layer.call, []


def call(*args, **kwargs):
    kept.append(original(*args, **kwargs))
    return kept[-1]


layer.call = call
with tf.GradientTape() as tape:
    y = model(x)
print(tape.gradient(y, kept[-1]))
