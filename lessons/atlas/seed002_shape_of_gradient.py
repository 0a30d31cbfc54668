"""The gradient has the shape of the source

lesson: summed_targets
kind: seed
seed: 002
claim: h1 is (1, 8), h2 is (1, 4), and the gradient tells how h2 changes with h1.
expect: value (1, 8)
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
with tf.GradientTape() as tape:
    h1 = layer1(x)
    tape.watch(h1)
    h2 = layer2(h1)
print(tape.gradient(h2, h1).shape)
