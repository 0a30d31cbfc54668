"""Grad-CAM on a pretrained-like model inside a Sequential

lesson: grad_cam
kind: recipe
cause: disconnected_model
claim: A second model with the inner convolution's and the outer model's output.
expect: value
"""

import tensorflow as tf

keras = tf.keras

inputs = keras.Input((6, 6, 1))
features = keras.layers.Conv2D(2, 3, kernel_initializer="ones", name="last_conv")(inputs)
base = keras.Model(inputs, features, name="base")
model = keras.Sequential(
    [
        keras.Input((6, 6, 1)),
        base,
        keras.layers.GlobalAveragePooling2D(),
        keras.layers.Dense(3, kernel_initializer="ones"),
    ]
)
last_conv = model.get_layer("base").get_layer("last_conv")
both = keras.Model(model.inputs, [last_conv.output, model.outputs[0]])
with tf.GradientTape() as tape:
    features, predictions = both(tf.ones((1, 6, 6, 1)))
    score = predictions[:, 1]
print(tape.gradient(score, features)[0, 0, 0])
