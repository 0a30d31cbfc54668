"""Train a critic whose slope should be 1 everywhere (a gradient penalty)."""

import keras
import numpy as np
import tensorflow as tf

keras.utils.set_random_seed(0)

critic = keras.Sequential(
    [
        keras.Input((2,)),
        keras.layers.Dense(8, activation="tanh"),
        keras.layers.Dense(1, use_bias=False),
    ]
)
optimizer = keras.optimizers.SGD(0.1)
rng = np.random.default_rng(0)
real = tf.constant(rng.normal(1.0, 1.0, (16, 2)), tf.float32)
made_up = tf.constant(rng.normal(-1.0, 1.0, (16, 2)), tf.float32)


def distance_from_one(slope):
    norm = tf.sqrt(tf.reduce_sum(slope**2, axis=1))
    return tf.reduce_mean((norm - 1.0) ** 2)


with tf.GradientTape() as outer:
    between = 0.5 * (real + made_up)
    with tf.GradientTape() as inner:
        inner.watch(between)
        score = critic(between)
slope = inner.gradient(score, between)
penalty = distance_from_one(slope)

gradients = outer.gradient(penalty, critic.trainable_variables)
optimizer.apply(gradients, critic.trainable_variables)
