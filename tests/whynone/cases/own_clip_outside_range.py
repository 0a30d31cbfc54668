import tensorflow as tf

log_sigma = tf.Variable([6.0, 7.5])
residual = tf.constant([0.4, -0.2])

with tf.GradientTape() as tape:
    safe = tf.clip_by_value(log_sigma, -4.0, 4.0)
    nll = tf.reduce_sum(safe + 0.5 * (residual / tf.exp(safe)) ** 2)
print("nll", round(float(nll), 3))
print("gradient", tape.gradient(nll, log_sigma).numpy())
