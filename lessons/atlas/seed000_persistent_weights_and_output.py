"""A persistent tape asked for the weights, then for get_layer("conv2").output

lesson: symbolic_outputs
kind: seed
seed: 000
cause: symbolic
claim: persistent=True gives the gradients of the weights and of layer.output.
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
    out = model(x, training=True)
    loss = keras.losses.categorical_crossentropy(y, tf.reshape(out, (2, 1, 3)))
param_grads = tape.gradient(loss, model.trainable_variables)
conv2_grad = tape.gradient(loss, model.get_layer("conv2").output)
del tape
print(conv2_grad)
