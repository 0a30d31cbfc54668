"""Change an image until a small encoder sees the wanted style in it."""

import keras
import numpy as np
import tensorflow as tf

encoder = keras.layers.Dense(2, activation="tanh")
encoder.build((None, 3))
encoder.set_weights([np.array([[0.5, -1.0], [1.0, 0.5], [-0.5, 1.0]]), np.zeros(2)])


def prepare(image):
    levels = tf.round(image * 255.0)
    return levels / 255.0


def style(image):
    maps = encoder(prepare(image))
    return maps.numpy().mean(axis=0)


image = tf.constant([[0.2, 0.4, 0.6], [0.8, 0.6, 0.2]])
wanted = tf.constant([0.1, 0.9])

with tf.GradientTape() as tape:
    tape.watch(image)
    loss = tf.reduce_sum((style(image) - wanted) ** 2)

gradient = tape.gradient(loss, image)
print("loss:", round(float(loss), 4))
print("gradient:", gradient)
