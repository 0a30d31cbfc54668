import tensorflow as tf

tf.random.set_seed(17)
encoder = tf.keras.layers.Dense(2)
head = tf.keras.layers.Dense(1)
rows = tf.random.normal((4, 3))

with tf.GradientTape() as tape:
    codes = encoder(rows)
    total = tf.constant(0.0)
    for batch in tf.data.Dataset.from_tensor_slices(codes).batch(2):
        total += tf.reduce_sum(head(batch) ** 2)

grads = tape.gradient(total, encoder.trainable_variables)
print("encoder gradients", grads)
