import tensorflow as tf

relevance = tf.Variable([0.2, 0.9, 0.4, 0.7])
gains = tf.constant([3.0, 1.0, 2.0, 0.5])


def ndcg_like(scores):
    best = tf.math.top_k(scores, k=3).indices
    discounts = 1.0 / tf.math.log(tf.range(2.0, 5.0))
    return tf.reduce_sum(tf.gather(gains, best) * discounts)


with tf.GradientTape() as tape:
    quality = ndcg_like(relevance)
print("quality", round(float(quality), 4), "gradient", tape.gradient(quality, relevance))
