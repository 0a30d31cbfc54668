"""The sum of h2 as the target

lesson: summed_targets
kind: seed
seed: 002
claim: tape.gradient(loss, h1) works with loss = tf.reduce_sum(h2).
expect: value
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
    loss = tf.reduce_sum(h2)
print(tape.gradient(loss, h1))
