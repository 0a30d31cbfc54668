import tensorflow as tf

offsets = tf.Variable([0.4, 1.7, 2.9])
grid = tf.constant([10.0, 20.0, 30.0, 40.0])

with tf.GradientTape() as tape:
    index = tf.cast(offsets, tf.int32)
    values = tf.gather(grid, index)
    loss = tf.reduce_sum((values - 25.0) ** 2)

print("loss", float(loss))
print("offset gradient", tape.gradient(loss, offsets))
