import numpy as np
import tensorflow as tf

tf.random.set_seed(15)
photo = tf.constant(np.arange(16).reshape(1, 4, 4, 1) * 15, dtype=tf.uint8)
conv = tf.keras.layers.Conv2D(2, 3)

with tf.GradientTape() as tape:
    tape.watch(photo)
    pixels = tf.cast(photo, tf.float32) / 255.0
    response = tf.reduce_max(conv(pixels))

print("response gradient", tape.gradient(response, photo))
