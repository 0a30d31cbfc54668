"""keras.Model(model.input, layer.output), Sequential with an Input

lesson: symbolic_outputs
kind: recipe
claim: A model that ends at an inner layer.
expect: value
"""

import tensorflow as tf

keras = tf.keras

model = keras.Sequential(
    [
        keras.Input((2,)),
        keras.layers.Dense(2, kernel_initializer="ones", name="hidden"),
        keras.layers.Dense(1, kernel_initializer="ones"),
    ]
)
x = tf.constant([[1.0, 2.0]])
print(keras.Model(model.input, model.get_layer("hidden").output)(x))
