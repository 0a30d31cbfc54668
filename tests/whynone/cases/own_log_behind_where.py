import tensorflow as tf

rates = tf.Variable([0.5, 0.0, 2.0])


def safe_log(x):
    logs = tf.math.log(x)
    return tf.where(x > 0.0, logs * x, 0.0)


with tf.GradientTape() as tape:
    entropy = -tf.reduce_sum(safe_log(rates))
slope = tape.gradient(entropy, rates)
print("entropy", round(float(entropy), 4), "finite:", tf.math.is_finite(slope).numpy().tolist())
