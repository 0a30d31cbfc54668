import tensorflow as tf

tf.random.set_seed(18)
embedding = tf.keras.layers.Embedding(20, 4)
scorer = tf.keras.layers.Dense(1)


def saliency(token_ids):
    with tf.GradientTape() as tape:
        tape.watch(token_ids)
        vectors = embedding(token_ids)
        score = tf.reduce_sum(scorer(tf.reduce_mean(vectors, axis=1)))
    return tape.gradient(score, token_ids)


sentence = tf.constant([[4, 7, 7, 1]])
print("saliency", saliency(sentence))
