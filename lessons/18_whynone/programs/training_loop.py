"""Fit a straight line; the first epoch works."""

import numpy as np
import tensorflow as tf

rng = np.random.default_rng(0)
x = tf.constant(rng.random((32, 1)), tf.float32)
y = 3.0 * x + 2.0

slope = tf.Variable([[0.0]])
offset = tf.Variable([0.0])
rate = 0.1

for epoch in range(5):
    with tf.GradientTape() as tape:
        guess = x @ slope + offset
        loss = tf.reduce_mean((guess - y) ** 2)
    d_slope, d_offset = tape.gradient(loss, [slope, offset])
    print("epoch", epoch, "loss", float(loss))
    slope = slope - rate * d_slope
    offset.assign_sub(rate * d_offset)
