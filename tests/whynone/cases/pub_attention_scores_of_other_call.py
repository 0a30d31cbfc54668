import tensorflow as tf
from tensorflow import keras

keras.utils.set_random_seed(67)


class Block(keras.layers.Layer):
    def __init__(self):
        super().__init__()
        self.attention = keras.layers.MultiHeadAttention(2, 4)
        self.ff = keras.layers.Dense(3)

    def call(self, x):
        return self.ff(self.attention(x, x))


block = Block()
x = tf.random.normal((1, 5, 6))
block(x)
with tf.GradientTape() as tape:
    _, scores = block.attention(x, x, return_attention_scores=True)
    tape.watch(scores)
    logit = block(x)[0, 0, 0]
print(tape.gradient(logit, scores))
