import tensorflow as tf

factor = tf.Variable([[2.0, 0.0], [0.5, 1.5]], name="factor")


def covariance(cholesky):
    return tf.linalg.matmul(cholesky, cholesky, transpose_b=True)


sigma = covariance(factor)
residual = tf.constant([[0.3], [-0.2]])

with tf.GradientTape() as tape:
    solved = tf.linalg.solve(sigma, residual)
    fit = tf.reduce_sum(residual * solved) + tf.linalg.logdet(sigma)

gradient = tape.gradient(fit, factor)
print("fit", round(float(fit), 4), "gradient", gradient)
