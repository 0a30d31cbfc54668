"""The same of a Sequential with an Input, and a gradient between the two outputs

lesson: symbolic_outputs
kind: seed
seed: 002
claim: Gradients can be computed from the tensors of such a model.
expect: value
"""

import tensorflow as tf

keras = tf.keras

model = keras.Sequential(
    [
        keras.Input((5,)),
        keras.layers.Dense(8, activation="relu", kernel_initializer="ones", name="first"),
        keras.layers.Dense(4, activation="relu", kernel_initializer="ones", name="second"),
        keras.layers.Dense(1),
    ]
)
outputs = [model.get_layer("first").output, model.get_layer("second").output]
intermediate = keras.Model(inputs=model.input, outputs=outputs)
with tf.GradientTape() as tape:
    h1, h2 = intermediate(tf.ones((1, 5)))
print(tape.gradient(h2, h1))
