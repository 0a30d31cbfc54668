import numpy as np
import tensorflow as tf

x = tf.constant([0.1, 0.7])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.reduce_sum(np.exp(x))
print(tape.gradient(y, x))
