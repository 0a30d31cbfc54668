"""keras.Model(model.input, layer.output), Sequential built with a shape

lesson: no_inbound_nodes
kind: recipe
claim: After model.build(shape) a Sequential has input and output.
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
model.build((None, 2))
print(keras.Model(model.input, model.get_layer("hidden").output)(x))
