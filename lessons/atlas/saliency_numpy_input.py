"""A saliency map with the image as a NumPy array

lesson: weights_or_inputs
kind: recipe
cause: left_tensorflow
claim: The array given to the model is a source.
expect: value
"""

import numpy as np
import tensorflow as tf

keras = tf.keras

inputs = keras.Input((2,), name="inputs")
dense = keras.layers.Dense(1, kernel_initializer="ones", name="dense")
model = keras.Model(inputs, dense(inputs))
x = np.array([[1.0, 2.0]], "float32")
with tf.GradientTape() as tape:
    y = model(x)
print(tape.gradient(y, x))
