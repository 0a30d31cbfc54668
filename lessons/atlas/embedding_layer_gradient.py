"""The gradient of an Embedding layer's table

lesson: weights_or_inputs
kind: recipe
claim: An IndexedSlices, not a tensor.
expect: IndexedSlices
"""

import tensorflow as tf

keras = tf.keras

layer = keras.layers.Embedding(4, 2, embeddings_initializer="ones")
with tf.GradientTape() as tape:
    y = layer(tf.constant([[1, 3]]))
print(tape.gradient(y, layer.trainable_variables[0]))
