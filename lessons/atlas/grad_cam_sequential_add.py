"""Grad-CAM on a Sequential built with add and input_shape

lesson: grad_cam
kind: recipe
claim: A second model with the last convolution's and the model's output.
expect: value
"""

import tensorflow as tf

keras = tf.keras

model = keras.Sequential()
model.add(
    keras.layers.Conv2D(2, 3, kernel_initializer="ones", name="last_conv", input_shape=(6, 6, 1))
)
model.add(keras.layers.GlobalAveragePooling2D())
model.add(keras.layers.Dense(3, kernel_initializer="ones"))
both = keras.Model(model.inputs, [model.get_layer("last_conv").output, model.outputs[0]])
with tf.GradientTape() as tape:
    features, predictions = both(tf.ones((1, 6, 6, 1)))
    score = predictions[:, 1]
print(tape.gradient(score, features)[0, 0, 0])
