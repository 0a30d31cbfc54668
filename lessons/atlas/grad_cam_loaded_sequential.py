"""Grad-CAM on a Sequential that was saved and loaded

lesson: grad_cam
kind: recipe
cause: other_call
claim: A loaded model can be used like the one that was saved.
expect: value
"""

import os
import tempfile

import tensorflow as tf

keras = tf.keras

model = keras.Sequential(
    [
        keras.Input((6, 6, 1)),
        keras.layers.Conv2D(2, 3, kernel_initializer="ones", name="last_conv"),
        keras.layers.GlobalAveragePooling2D(),
        keras.layers.Dense(3, kernel_initializer="ones"),
    ]
)
file = os.path.join(tempfile.mkdtemp(), "model.h5")
model.save(file)
model = keras.models.load_model(file, compile=False)
both = keras.Model(model.inputs, [model.get_layer("last_conv").output, model.outputs[0]])
with tf.GradientTape() as tape:
    features, predictions = both(tf.ones((1, 6, 6, 1)))
    score = predictions[:, 1]
print(tape.gradient(score, features)[0, 0, 0])
