"""The same after the Sequential was called on data

lesson: no_inbound_nodes
kind: seed
seed: 002
cause: never_called
claim: keras.Model(inputs=model.input, outputs=[…]) exposes the activations.
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
model(x)
intermediate = keras.Model(
    inputs=model.input, outputs=[model.layers[0].output, model.layers[1].output]
)
print(intermediate(x))
