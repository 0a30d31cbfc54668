import tensorflow as tf
from tensorflow.keras import layers

tf.keras.utils.set_random_seed(36)
inp = tf.keras.Input((5, 4))
att = layers.MultiHeadAttention(2, 2)(inp, inp, use_causal_mask=True)
x = layers.LayerNormalization()(layers.Add()([inp, att]))
model = tf.keras.Model(inp, layers.Dense(2)(layers.GlobalAveragePooling1D()(x)))
tokens = tf.random.normal((2, 5, 4))
with tf.GradientTape() as tape:
    tape.watch(tokens)
    loss = tf.reduce_mean(model(tokens) ** 2)
g = tape.gradient(loss, tokens)
print(float(loss).hex(), float(tf.norm(g)).hex())
