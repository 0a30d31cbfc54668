import numpy as np
import tensorflow as tf


def quantile(values):
    return np.float32(np.quantile(values, 0.5))


@tf.function
def centred(values):
    middle = tf.numpy_function(quantile, [values], tf.float32)
    return tf.stop_gradient(values) - middle


readings = tf.Variable([0.3, 1.9, 0.7])
with tf.GradientTape() as tape:
    spread = tf.reduce_sum(centred(readings) ** 2)
print("spread", round(float(spread), 3), tape.gradient(spread, readings))
