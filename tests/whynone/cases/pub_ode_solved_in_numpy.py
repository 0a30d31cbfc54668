import numpy as np
import tensorflow as tf

rate = tf.Variable(0.5, name="rate")


def rhs(y):
    return -rate * y


def integrate(y0, steps=5, dt=0.1):
    ys = np.empty(steps + 1, "float32")
    ys[0] = y0
    for k in range(steps):
        ys[k + 1] = ys[k] + dt * rhs(ys[k])
    return ys


observed = tf.constant([1.0, 0.94, 0.89, 0.84, 0.79, 0.75])
with tf.GradientTape() as tape:
    path = integrate(1.0)
    loss = tf.reduce_mean((path - observed) ** 2)
print(tape.gradient(loss, rate))
