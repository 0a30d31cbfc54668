import math

import tensorflow as tf

rate = tf.Variable(0.3)
times = [1.0, 2.0, 4.0]


def survival(rate, t):
    return math.exp(-rate * t)


with tf.GradientTape() as tape:
    values = tf.stack([survival(rate, t) for t in times])
    nll = -tf.reduce_sum(tf.math.log(values))

print(f"nll {float(nll):.4f}")
print("d nll / d rate", tape.gradient(nll, rate))
