import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(46)
detector = tf.keras.Sequential([tf.keras.Input((8, 8, 3)), tf.keras.layers.Conv2D(2, 3), tf.keras.layers.GlobalMaxPooling2D()])
photo = np.random.rand(8, 8, 3).astype("float32")
patch = tf.Variable(tf.random.uniform((3, 3, 3)), name="patch")


def paste(photo, patch, row, column):
    scene = photo.copy()
    scene[row:row + 3, column:column + 3] = patch
    return scene[None]


for step in range(2):
    with tf.GradientTape() as tape:
        scores = detector(paste(photo, patch, 2, 4))
        loss = tf.reduce_sum(scores)
    grad = tape.gradient(loss, patch)
    if grad is None:
        print("no gradient for the patch")
        break
    patch.assign_sub(0.1 * grad)
