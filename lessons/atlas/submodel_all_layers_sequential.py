"""[layer.output for layer in model.layers], Sequential with an Input

lesson: symbolic_outputs
kind: recipe
claim: A model that returns every layer's output.
expect: list
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
every = keras.Model(model.inputs, [layer.output for layer in model.layers])
print(every(x))
