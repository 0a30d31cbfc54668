import tensorflow as tf

tf.keras.utils.set_random_seed(43)
body, head, spare = (tf.keras.layers.Dense(2) for _ in range(3))
x = tf.random.normal((3, 2))
spare(x)
with tf.GradientTape() as tape:
    h = body(x)
    loss = tf.reduce_mean(head(h) ** 2)
    rounded = tf.round(h)
    detached = h.numpy()
grads = tape.gradient(loss, body.trainable_variables + head.trainable_variables)
print(rounded.shape, detached.shape, [g.numpy().ravel().tolist() for g in grads])
