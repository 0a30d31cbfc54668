import copy

import tensorflow as tf
from tensorflow import keras

keras.utils.set_random_seed(62)
online = keras.Sequential([keras.Input((3,)), keras.layers.Dense(2)])
target = copy.deepcopy(online)


def contrast(a, b):
    return tf.reduce_mean(tf.reduce_sum((a - b) ** 2, axis=-1))


views = tf.random.normal((4, 3)), tf.random.normal((4, 3))
with tf.GradientTape() as tape:
    loss = contrast(target(views[0]), target(views[1]))
grads = tape.gradient(loss, online.trainable_variables)
print(grads)
