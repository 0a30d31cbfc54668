"""The gradient of h2 less the gradient of its sum

lesson: summed_targets
kind: seed
seed: 002
cause: summed
claim: A target that is not a scalar is summed.
expect: zero
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
with tf.GradientTape(persistent=True) as tape:
    h1 = layer1(x)
    tape.watch(h1)
    h2 = layer2(h1)
    total = tf.reduce_sum(h2)
print(tape.gradient(h2, h1) - tape.gradient(total, h1))
