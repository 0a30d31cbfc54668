"""The later tensor was computed after the block

lesson: outside_the_tape
kind: seed
seed: 002
cause: outside_tape
claim: If the tape did not see the forward pass, it cannot differentiate it.
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
with tf.GradientTape() as tape:
    h1 = layer1(x)
    tape.watch(h1)
h2 = layer2(h1)
print(tape.gradient(h2, h1))
