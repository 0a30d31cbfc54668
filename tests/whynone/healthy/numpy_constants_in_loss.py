import math

import numpy as np
import tensorflow as tf

mu = tf.Variable(0.3)
log_sigma = tf.Variable(-0.2)
data = np.array([0.1, 0.9, 0.4], dtype="float32")
scale = float(np.std(data))
for step in range(3):
    with tf.GradientTape() as tape:
        z = (data - mu) / tf.exp(log_sigma)
        nll = tf.reduce_mean(0.5 * z ** 2 + log_sigma + 0.5 * math.log(2 * math.pi)) * scale
    grads = tape.gradient(nll, [mu, log_sigma])
    mu.assign_sub(0.2 * grads[0])
    log_sigma.assign_sub(0.2 * grads[1])
    print(step, float(nll).hex(), [float(g).hex() for g in grads])
