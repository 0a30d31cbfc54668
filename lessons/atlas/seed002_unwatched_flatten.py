"""The same with a first layer that has no variables

lesson: unwatched_tensor
kind: seed
seed: 002
cause: unwatched
claim: Without tape.watch(h1) the answer may be None.
expect: None
"""

import tensorflow as tf

keras = tf.keras

flatten = keras.layers.Flatten()
layer2 = keras.layers.Dense(4, kernel_initializer="ones")
with tf.GradientTape() as tape:
    h1 = flatten(tf.ones((1, 5)))
    h2 = layer2(h1)
print(tape.gradient(h2, h1))
