import tensorflow as tf

tf.keras.utils.set_random_seed(12)
embedding = tf.keras.layers.Embedding(10, 3)
dense = tf.keras.layers.Dense(1)
ids = tf.constant([[1, 2, 1], [4, 9, 2]])
with tf.GradientTape() as tape:
    loss = tf.reduce_sum(dense(tf.reduce_mean(embedding(ids), axis=1)) ** 2)
g_table, g_kernel, g_bias = tape.gradient(
    loss, [embedding.embeddings, dense.kernel, dense.bias])
print(type(g_table).__name__, tf.convert_to_tensor(g_table).numpy().ravel().tolist())
print(g_kernel.numpy().ravel().tolist(), g_bias.numpy().tolist())
