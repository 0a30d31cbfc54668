"""layer1.kernel as the source

lesson: weights_or_inputs
kind: seed
seed: 002
claim: For training, the sources are variables such as layer1.kernel.
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
    h2 = layer2(layer1(x))
print(tape.gradient(h2, layer1.kernel))
