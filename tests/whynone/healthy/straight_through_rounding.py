import tensorflow as tf

tf.keras.utils.set_random_seed(21)
encoder = tf.keras.layers.Dense(3, activation="sigmoid")
decoder = tf.keras.layers.Dense(2)
x = tf.random.normal((4, 2))
with tf.GradientTape() as tape:
    code = encoder(x)
    bits = code + tf.stop_gradient(tf.round(code) - code)
    loss = tf.reduce_mean((decoder(bits) - x) ** 2)
for g in tape.gradient(loss, encoder.trainable_variables + decoder.trainable_variables):
    print(g.numpy().ravel().tolist())
