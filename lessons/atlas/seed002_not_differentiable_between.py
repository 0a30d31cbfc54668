"""An operation without a derivative between the two tensors

lesson: not_differentiable
kind: seed
seed: 002
cause: not_differentiable
claim: With an operation that is not differentiable in between, the answer may be None.
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
    h2 = layer2(tf.round(h1))
print(tape.gradient(h2, h1))
