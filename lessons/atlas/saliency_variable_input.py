"""A saliency map with the image as a tf.Variable

lesson: weights_or_inputs
kind: recipe
claim: A variable is watched by itself, so the image's gradient is not None.
expect: value
"""

import tensorflow as tf

keras = tf.keras

inputs = keras.Input((2,), name="inputs")
dense = keras.layers.Dense(1, kernel_initializer="ones", name="dense")
model = keras.Model(inputs, dense(inputs))
x = tf.Variable([[1.0, 2.0]])
with tf.GradientTape() as tape:
    y = model(x)
print(tape.gradient(y, x))
