"""Which parts of the backbone's features speak for class 1?"""

import keras
import numpy as np
import tensorflow as tf

keras.utils.set_random_seed(0)

backbone = keras.Sequential(
    [
        keras.Input((8, 8, 3)),
        keras.layers.Conv2D(4, 3, activation="relu"),
        keras.layers.Conv2D(6, 3, activation="relu"),
    ],
    name="backbone",
)
inputs = keras.Input((8, 8, 3))
features = backbone(inputs)
pooled = keras.layers.GlobalAveragePooling2D()(features)
outputs = keras.layers.Dense(3, activation="softmax")(pooled)
model = keras.Model(inputs, outputs)

images = tf.constant(np.random.default_rng(0).random((2, 8, 8, 3)), tf.float32)

with tf.GradientTape() as tape:
    features = model.get_layer("backbone")(images)
    tape.watch(features)
    predictions = model(images, training=False)
    score = predictions[:, 1]

gradient = tape.gradient(score, features)
weights = tf.reduce_mean(gradient, axis=(1, 2))
heatmap = tf.einsum("bhwc,bc->bhw", features, weights)
print(heatmap.shape)
