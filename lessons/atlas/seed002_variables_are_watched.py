"""The weights of a layer, not watched by hand

lesson: unwatched_tensor
kind: seed
seed: 002
claim: TensorFlow watches trainable variables by itself.
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
print(tape.gradient(h2, layer1.trainable_variables))
