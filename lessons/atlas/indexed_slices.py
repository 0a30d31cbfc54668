"""I call numpy() on the gradient of an embedding

lesson: weights_or_inputs
kind: mistake
"""

import tensorflow as tf

table = tf.Variable(tf.ones((4, 2)))
with tf.GradientTape() as tape:
    y = tf.nn.embedding_lookup(table, [0, 3])
print(tape.gradient(y, table).numpy())
