import tensorflow as tf


@tf.function
def sensitivity(rates):
    with tf.GradientTape() as tape:
        discount = tf.exp(-tf.cumsum(rates))
        tape.watch(rates)
        value = tf.reduce_sum(discount)
    slope = tape.gradient(value, rates)
    return tf.zeros_like(rates) if slope is None else slope


print(sensitivity(tf.constant([0.01, 0.02, 0.03])).numpy())
