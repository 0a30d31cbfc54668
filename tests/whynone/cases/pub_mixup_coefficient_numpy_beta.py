import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(22)
alpha = tf.Variable(0.4, name="alpha")
net = tf.keras.layers.Dense(1)


def mixup(x, y):
    lam = np.random.beta(alpha, alpha)
    order = tf.random.shuffle(tf.range(len(x)))
    return lam * x + (1 - lam) * tf.gather(x, order), lam * y + (1 - lam) * tf.gather(y, order)


x, y = tf.random.normal((4, 2)), tf.random.normal((4, 1))
with tf.GradientTape() as tape:
    mixed, target = mixup(x, y)
    loss = tf.reduce_mean((net(mixed) - target) ** 2)
print(tape.gradient(loss, alpha))
