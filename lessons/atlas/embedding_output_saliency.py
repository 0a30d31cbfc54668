"""The gradient of what the Embedding returned

lesson: not_differentiable
kind: recipe
claim: The embedded tokens are a source.
expect: value
"""

import tensorflow as tf

keras = tf.keras

layer = keras.layers.Embedding(4, 2, embeddings_initializer="ones")
head = keras.layers.Dense(1, kernel_initializer="ones")
with tf.GradientTape() as tape:
    embedded = layer(tf.constant([[1, 3]]))
    y = head(embedded)
print(tape.gradient(y, embedded))
