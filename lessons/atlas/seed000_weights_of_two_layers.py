"""The weights of two named layers as sources

lesson: weights_or_inputs
kind: seed
seed: 000
claim: tape.gradient(loss, weights of conv1 and conv2) gives their gradients.
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
    out = model(x, training=True)
    out = tf.reshape(out, (2, 1, 3))
    loss = keras.losses.categorical_crossentropy(y, out)
targets = [model.get_layer(name).trainable_variables for name in ("conv1", "conv2")]
targets = [variable for variables in targets for variable in variables]
gradients = tape.gradient(loss, targets)
print([gradient.shape for gradient in gradients])
