"""The gradient of get_layer("conv2").output, of a model that knows its input shape

lesson: symbolic_outputs
kind: seed
seed: 000
cause: symbolic
claim: tape.gradient(loss, get_layer("conv2").output) gives the activation's gradient.
expect: value
"""

import tensorflow as tf

keras = tf.keras

model = keras.Sequential(
    [
        keras.layers.Conv2D(2, 3, activation="relu", name="conv1", input_shape=(6, 6, 1)),
        keras.layers.Conv2D(2, 3, activation="relu", name="conv2"),
        keras.layers.Flatten(),
        keras.layers.Dense(3, activation="softmax", name="dense1"),
    ]
)
x, y = tf.fill((2, 6, 6, 1), 0.01), tf.one_hot([[0], [2]], 3)
with tf.GradientTape() as tape:
    out = model(x, training=True)
    loss = keras.losses.categorical_crossentropy(y, tf.reshape(out, (2, 1, 3)))
print(tape.gradient(loss, model.get_layer("conv2").output))
