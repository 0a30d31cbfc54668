import tensorflow as tf

weights = tf.Variable([0.5, 1.5, 2.5])


def bucket(value):
    return tf.floor(value * 3.0)


with tf.GradientTape() as tape:
    buckets = tf.map_fn(bucket, weights)
    score = tf.reduce_sum(buckets ** 2)
print("score", float(score))
print("gradient", tape.gradient(score, weights))
