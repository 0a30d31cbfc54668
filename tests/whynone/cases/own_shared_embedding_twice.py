import tensorflow as tf

tf.random.set_seed(3)
embedding = tf.keras.layers.Embedding(12, 3)
scorer = tf.keras.layers.Dense(1)
query = tf.constant([1, 5, 7])


class Ranker:
    def embed(self, ids):
        return embedding(ids)

    def score(self, ids):
        return scorer(tf.reduce_sum(self.embed(ids), axis=0, keepdims=True))


ranker = Ranker()
with tf.GradientTape() as tape:
    vectors = ranker.embed(query)
    relevance = ranker.score(query)
print("token importance", tape.gradient(relevance, vectors))
