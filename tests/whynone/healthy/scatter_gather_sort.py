import tensorflow as tf

x = tf.Variable([0.4, -1.0, 2.5, 0.7])
with tf.GradientTape() as tape:
    ordered = tf.sort(x)
    top = tf.math.top_k(x, k=2).values
    placed = tf.tensor_scatter_nd_update(tf.zeros(4), [[1], [3]], top)
    segments = tf.math.segment_sum(ordered, [0, 0, 1, 1])
    loss = tf.reduce_sum(placed ** 2) + tf.reduce_sum(segments * [1.0, -1.0])
print(tape.gradient(loss, x).numpy().tolist())
