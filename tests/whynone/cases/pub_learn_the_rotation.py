import keras
import numpy as np
import tensorflow as tf

keras.utils.set_random_seed(30)
image = tf.random.uniform((1, 8, 8, 1))
target = tf.roll(image, 1, axis=1)
theta = tf.Variable([[1.0, 0, 0, 0, 1.0, 0, 0, 0]], name="theta")


def register(steps=1):
    optimizer = keras.optimizers.SGD(0.1)
    for _ in range(steps):
        with tf.GradientTape() as tape:
            moved = keras.ops.image.affine_transform(image, theta, interpolation="bilinear")
            loss = tf.reduce_mean((moved - target) ** 2)
        grad = tape.gradient(loss, theta)
        print("theta's gradient", grad)


register()
