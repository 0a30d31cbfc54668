import tensorflow as tf

table = tf.Variable(tf.zeros((4, 2)), trainable=False, name="table")
keys = tf.Variable([[0.5, 0.1], [0.2, 0.9]], name="keys")
slots = tf.constant([[0], [3]])

with tf.GradientTape() as tape:
    table.scatter_nd_update(slots, tf.tanh(keys))
    filled = tf.convert_to_tensor(table)
    score = tf.reduce_sum(filled * tf.constant([1.0, -1.0]))

print("score", round(float(score), 4))
print("keys gradient", tape.gradient(score, keys))
