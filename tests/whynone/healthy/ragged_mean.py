import tensorflow as tf

values = tf.Variable([0.5, 1.5, 2.0, -1.0, 3.0])
with tf.GradientTape() as tape:
    rows = tf.RaggedTensor.from_row_lengths(values, [2, 3])
    means = tf.reduce_mean(rows, axis=1)
    loss = tf.reduce_sum(means ** 2)
print(means.numpy().tolist(), tape.gradient(loss, values).numpy().tolist())
