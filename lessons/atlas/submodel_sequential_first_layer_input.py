"""keras.Model(model.layers[0].input, layer.output), Sequential called on data

lesson: no_inbound_nodes
kind: recipe
claim: The first layer's input is the model's.
expect: value
"""

import tensorflow as tf

keras = tf.keras

model = keras.Sequential(
    [
        keras.layers.Dense(2, kernel_initializer="ones", name="hidden"),
        keras.layers.Dense(1, kernel_initializer="ones"),
    ]
)
x = tf.constant([[1.0, 2.0]])
model(x)
print(keras.Model(model.layers[0].input, model.get_layer("hidden").output)(x))
