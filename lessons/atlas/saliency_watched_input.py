"""A saliency map with the image watched

lesson: weights_or_inputs
kind: recipe
claim: tape.watch(image) gives the image's gradient.
expect: value
"""

import tensorflow as tf

keras = tf.keras

inputs = keras.Input((2,), name="inputs")
dense = keras.layers.Dense(1, kernel_initializer="ones", name="dense")
model = keras.Model(inputs, dense(inputs))
x = tf.constant([[1.0, 2.0]])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = model(x)
print(tape.gradient(y, x))
