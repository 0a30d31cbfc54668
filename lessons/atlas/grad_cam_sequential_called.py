"""Grad-CAM on a Sequential without an input shape, after a call on data

lesson: grad_cam
kind: recipe
claim: A second model with the last convolution's and the model's output.
expect: value
"""

import tensorflow as tf

keras = tf.keras

model = keras.Sequential(
    [
        keras.layers.Conv2D(2, 3, kernel_initializer="ones", name="last_conv"),
        keras.layers.GlobalAveragePooling2D(),
        keras.layers.Dense(3, kernel_initializer="ones"),
    ]
)
model(tf.ones((1, 6, 6, 1)))
both = keras.Model(model.inputs, [model.get_layer("last_conv").output, model.output])
with tf.GradientTape() as tape:
    features, predictions = both(tf.ones((1, 6, 6, 1)))
    score = predictions[:, 1]
print(tape.gradient(score, features)[0, 0, 0])
