import tensorflow as tf
from tensorflow import keras

keras.utils.set_random_seed(42)
embed = keras.layers.Embedding(20, 4)
model = keras.Sequential([embed, keras.layers.LSTM(5), keras.layers.Dense(1)])
tokens = tf.constant([[3, 5, 7, 1]])
model(tokens)


def explain(tokens):
    with tf.GradientTape() as tape:
        vectors = embed(tokens)
        tape.watch(vectors)
        score = model(tokens)[:, 0]
    return tape.gradient(score, vectors)


print("token importance", explain(tokens))
