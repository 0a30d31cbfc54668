import tensorflow as tf

strengths = tf.Variable([0.5, -1.0, 2.0], name="strengths")
edges = tf.constant([[0, 1], [1, 2], [2, 0]], dtype=tf.int64)
graph = tf.sparse.SparseTensor(edges, strengths * 1.0, (3, 3))
signal = tf.constant([[1.0], [2.0], [3.0]])

with tf.GradientTape() as tape:
    spread = tf.sparse.sparse_dense_matmul(graph, signal)
    energy = tf.reduce_sum(spread ** 2)
print("energy", float(energy), "strengths", tape.gradient(energy, strengths))
