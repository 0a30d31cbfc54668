"""A saliency map with an image of dtype float64

lesson: weights_or_inputs
kind: recipe
claim: The layer casts the image; its gradient is float64.
expect: value
"""

import tensorflow as tf

keras = tf.keras

inputs = keras.Input((2,), name="inputs")
dense = keras.layers.Dense(1, kernel_initializer="ones", name="dense")
model = keras.Model(inputs, dense(inputs))
x = tf.constant([[1.0, 2.0]], tf.float64)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = model(x)
print(tape.gradient(y, x))
