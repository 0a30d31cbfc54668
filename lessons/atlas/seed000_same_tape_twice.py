"""The same tape asked for x2, then for x1, as printed

lesson: one_tape_many_gradients
kind: seed
seed: 000
cause: spent_tape
claim: One tape gives the gradients of conv2's and of conv1's activations, one after the other.
expect: value
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
with tf.GradientTape() as tape:
    x1 = model.get_layer("conv1")(x)
    x2 = model.get_layer("conv2")(x1)
    out = model.get_layer("dense1")(model.get_layer("flatten")(x2))
    loss = keras.losses.categorical_crossentropy(y, tf.reshape(out, (2, 1, 3)))
conv2_grad = tape.gradient(loss, x2)
conv1_grad = tape.gradient(loss, x1)
print(conv1_grad)
