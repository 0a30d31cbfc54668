import tensorflow as tf

x = tf.Variable([[1.0, 2.0], [3.0, -1.0]])
with tf.GradientTape() as tape:
    norms = tf.map_fn(lambda row: tf.reduce_sum(row ** 2) + row[0], x)
    loss = tf.reduce_sum(norms * tf.constant([1.0, -2.0]))
print(tape.gradient(loss, x).numpy().tolist())
