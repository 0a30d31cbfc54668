from functools import cached_property

import tensorflow as tf

tf.keras.utils.set_random_seed(12)


class Graph:
    def __init__(self, nodes, edges):
        self.features = tf.random.normal((nodes, 3))
        self.adjacency = tf.constant(edges, tf.float32)
        self.weight = tf.Variable(tf.random.normal((3, 2)))

    @cached_property
    def embedding(self):
        return self.adjacency @ self.features @ self.weight


graph = Graph(3, [[0, 1, 0], [1, 0, 1], [0, 1, 0]])
print("embedding", graph.embedding.shape)
for step in range(2):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(graph.embedding ** 2)
    print(step, tape.gradient(loss, graph.weight))
