import numpy as np
import tensorflow as tf


def sinc_numpy(t):
    return np.sinc(t).astype("float32")


frequency = tf.constant([0.3, 0.7, 1.4])
with tf.GradientTape() as tape:
    tape.watch(frequency)
    filtered = tf.numpy_function(sinc_numpy, [frequency * 2.0], tf.float32)
    power = tf.reduce_sum(filtered ** 2)

print("power", round(float(power), 4))
print("gradient", tape.gradient(power, frequency))
