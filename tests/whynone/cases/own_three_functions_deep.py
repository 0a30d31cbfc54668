import numpy as np
import tensorflow as tf

mixing = tf.Variable([[0.6, -0.2], [0.1, 0.9]], name="mixing")


def whiten(block):
    centred = block - np.mean(block, axis=0)
    return centred / np.std(centred, axis=0)


def separate(recording):
    sources = recording @ mixing
    return whiten(sources.numpy())


def contrast(recording):
    independent = separate(recording)
    return tf.reduce_mean(tf.math.log(tf.cosh(independent)))


recording = tf.constant([[0.1, 0.4], [0.9, -0.3], [-0.5, 0.8], [0.3, 0.2]])
with tf.GradientTape() as tape:
    objective = contrast(recording)
print("objective", round(float(objective), 4))
print("gradient", tape.gradient(objective, mixing))
