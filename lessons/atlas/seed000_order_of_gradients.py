"""The gradients come in the order of the variables

lesson: weights_or_inputs
kind: seed
seed: 000
claim: Gradients and target_vars correspond one to one.
expect: value True
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
targets = model.get_layer("conv1").trainable_variables
targets = targets + model.get_layer("conv2").trainable_variables
with tf.GradientTape() as tape:
    loss = tf.reduce_sum(model(x))
gradients = tape.gradient(loss, targets)
print(all(g.shape == v.shape for g, v in zip(gradients, targets)))
