import tensorflow as tf

weight = tf.Variable([0.4, 1.6, 2.2])
data = tf.constant([1.0, 0.5, 2.0])

with tf.GradientTape() as tape:
    product = weight * data
    smooth_term = tf.reduce_sum(tf.stop_gradient(product) ** 2)
    bucket = tf.math.floor(product)
    coarse_term = tf.reduce_sum(bucket)
    loss = smooth_term + 0.1 * coarse_term

gradient = tape.gradient(loss, weight)
print("loss", round(float(loss), 4), "gradient", gradient)
