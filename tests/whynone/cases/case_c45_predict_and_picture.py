import numpy as np
import tensorflow as tf

rng = np.random.default_rng(5)
pixels = rng.random((1, 8, 8, 3)).astype("float32")
inputs = tf.keras.Input((8, 8, 3))
layer_model = tf.keras.Model(inputs, tf.keras.layers.Conv2D(2, 3)(inputs))
picture = tf.convert_to_tensor(pixels)

with tf.GradientTape() as tape:
    tape.watch(picture)
    filters = layer_model.predict(picture, verbose=0)
    loss = tf.reduce_mean(filters[..., 0])

grad = tape.gradient(loss, picture[0])
print("ascent direction:", grad)
