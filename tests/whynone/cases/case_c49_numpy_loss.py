import numpy as np
import tensorflow as tf

scale = tf.Variable(1.5)
shift = tf.Variable(0.1)
xs = tf.constant([1.0, 2.0, 3.0])
ys = tf.constant([2.0, 3.9, 6.1])


def rmse(truth, guess):
    return np.sqrt(np.mean(np.square(truth - guess)))


with tf.GradientTape() as tape:
    guess = scale * xs + shift
    loss = tf.constant(rmse(ys, guess))

grads = tape.gradient(loss, [scale, shift])
print("rmse", round(float(loss), 3))
tf.keras.optimizers.SGD(0.1).apply_gradients(zip(grads, [scale, shift]))
