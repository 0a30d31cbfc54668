import tensorflow as tf

tf.keras.utils.set_random_seed(3)
lstm = tf.keras.layers.LSTM(4, return_sequences=True)
head = tf.keras.layers.Dense(2)
series = tf.random.normal((2, 5, 3))
wanted = tf.random.normal((2, 5, 2))
with tf.GradientTape() as tape:
    tape.watch(series)
    loss = tf.reduce_mean((head(lstm(series)) - wanted) ** 2)
weights = lstm.trainable_variables + head.trainable_variables
grads = tape.gradient(loss, [series] + weights)
for g in grads:
    print(g.shape, float(tf.reduce_sum(g)).hex())
