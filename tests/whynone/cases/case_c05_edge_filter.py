import numpy as np
import tensorflow as tf

rng = np.random.default_rng(1)
picture = tf.constant(rng.normal(size=(1, 6, 6, 1)), dtype=tf.float32)
sobel = np.array([[1, 0, -1], [2, 0, -2], [1, 0, -1]], dtype="float32")
kernel = tf.reshape(tf.constant(sobel), (3, 3, 1, 1))


def edges(image, filters):
    response = tf.nn.conv2d(image, filters, strides=1, padding="VALID")
    return tf.nn.relu(response)


with tf.GradientTape() as tape:
    strength = tf.reduce_sum(edges(picture, kernel))

d_picture, d_kernel = tape.gradient(strength, [picture, kernel])
print(f"strength {float(strength):.3f}")
print("picture:", d_picture)
print("kernel:", d_kernel)
