"""Signal helpers shared by the scripts."""
import numpy as np
import tensorflow as tf


def moving_average(signal, width):
    window = np.ones(width) / width
    smooth = np.convolve(signal, window, mode="valid")
    return tf.constant(smooth, tf.float32)


def standardise(batch):
    mean, variance = tf.nn.moments(batch, axes=[0])
    return (batch - mean) / tf.sqrt(variance + 1e-6)
