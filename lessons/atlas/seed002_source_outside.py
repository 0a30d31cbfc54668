"""The activation was computed before the block

lesson: outside_the_tape
kind: seed
seed: 002
cause: unwatched
claim: A tensor made outside the block cannot be differentiated.
expect: None
"""

import tensorflow as tf

keras = tf.keras

model = keras.Sequential(
    [
        keras.layers.Dense(8, activation="relu", kernel_initializer="ones"),
        keras.layers.Dense(4, activation="relu", kernel_initializer="ones"),
        keras.layers.Dense(1),
    ]
)
layer1, layer2 = model.layers[0], model.layers[1]
x = tf.ones((1, 5))
h1 = layer1(x)
with tf.GradientTape() as tape:
    h2 = layer2(h1)
print(tape.gradient(h2, h1))
