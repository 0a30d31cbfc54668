import tensorflow as tf

mu = tf.Variable(0.0, name="mu")
log_sigma = tf.Variable(0.1, name="log_sigma")
data = tf.constant([0.9, 1.4, 1.1])

for step in range(2):
    with tf.GradientTape() as tape:
        z = (data - mu) / tf.exp(log_sigma)
        log_likelihood = tf.reduce_sum(-0.5 * z ** 2 - log_sigma)
    loss = -log_likelihood
    grads = tape.gradient(loss, [mu, log_sigma])
    print("step", step, f"loss {float(loss):.4f}", grads)
