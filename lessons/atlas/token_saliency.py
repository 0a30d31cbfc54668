"""The gradient of token numbers that go into an Embedding

lesson: not_differentiable
kind: recipe
cause: integer_dtype
claim: A saliency map for tokens is the gradient of the model's input.
expect: value
"""

import tensorflow as tf

keras = tf.keras

layer = keras.layers.Embedding(4, 2, embeddings_initializer="ones")
tokens = tf.constant([[1.0, 3.0]])
with tf.GradientTape() as tape:
    tape.watch(tokens)
    y = layer(tokens)
print(tape.gradient(y, tokens))
