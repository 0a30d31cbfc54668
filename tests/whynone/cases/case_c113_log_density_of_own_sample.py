import tensorflow as tf

mean = tf.Variable(1.0)
noise = tf.constant([0.5, -1.0, 0.25])

with tf.GradientTape() as tape:
    sample = mean + noise
    log_density = -0.5 * (sample - mean) ** 2

score = tape.gradient(log_density, mean)
print("score", score.numpy())
