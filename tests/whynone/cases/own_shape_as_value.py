import tensorflow as tf

tf.random.set_seed(7)
select = tf.keras.layers.Dense(1)
x = tf.random.normal((6, 3))

with tf.GradientTape() as tape:
    scores = select(x)[:, 0]
    kept = tf.boolean_mask(scores, scores > 0.0)
    fraction = tf.cast(tf.size(kept), tf.float32) / 6.0
    loss = (fraction - 0.5) ** 2
print("gradient", tape.gradient(loss, select.trainable_variables))
