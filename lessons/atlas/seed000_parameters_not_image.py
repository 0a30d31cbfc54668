"""model.trainable_variables as sources gives no gradient of the image

lesson: weights_or_inputs
kind: seed
seed: 000
claim: What comes back is the gradients of the parameters, not of the input.
expect: value False
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
    loss = tf.reduce_sum(model(x))
gradients = tape.gradient(loss, model.trainable_variables)
print(any(g.shape == x.shape for g in gradients))
