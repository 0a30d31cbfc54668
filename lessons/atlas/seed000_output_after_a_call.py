"""layer.output after the model was called on data

lesson: no_inbound_nodes
kind: seed
seed: 000
cause: never_called
claim: Once the model has been fed some data, get_layer("conv2").output can be used.
expect: symbolic
"""

import tensorflow as tf

keras = tf.keras

model = keras.Sequential(
    [
        keras.layers.Conv2D(2, 3, activation="relu", kernel_initializer="ones", name="conv1"),
        keras.layers.Conv2D(2, 3, activation="relu", kernel_initializer="ones", name="conv2"),
        keras.layers.Flatten(name="flatten"),
        keras.layers.Dense(3, activation="softmax", name="dense1"),
    ]
)
x, y = tf.fill((2, 6, 6, 1), 0.01), tf.one_hot([[0], [2]], 3)
model(x)
print(model.get_layer("conv2").output)
