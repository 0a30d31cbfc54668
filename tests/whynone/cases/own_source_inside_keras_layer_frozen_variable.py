import tensorflow as tf


class Codebook(tf.Module):
    def __init__(self, size, width, learn=False):
        super().__init__()
        start = tf.random.stateless_normal((size, width), seed=(1, 2))
        self.vectors = tf.Variable(start, trainable=learn, name="vectors")

    def __call__(self, ids):
        return tf.gather(self.vectors, ids)


book = Codebook(5, 3)
with tf.GradientTape() as tape:
    sentence = book(tf.constant([1, 4, 1]))
    loss = tf.reduce_sum(sentence ** 2)
print("vectors", tape.gradient(loss, book.vectors))
