"""A persistent tape asked for the weights, then for an activation

lesson: one_tape_many_gradients
kind: seed
seed: 000
claim: persistent=True answers more than once.
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
with tf.GradientTape(persistent=True) as tape:
    x1 = model.get_layer("conv1")(x)
    x2 = model.get_layer("conv2")(x1)
    out = model.get_layer("dense1")(model.get_layer("flatten")(x2))
    loss = keras.losses.categorical_crossentropy(y, tf.reshape(out, (2, 1, 3)))
param_grads = tape.gradient(loss, model.get_layer("conv1").trainable_variables)
print(tape.gradient(loss, x2))
