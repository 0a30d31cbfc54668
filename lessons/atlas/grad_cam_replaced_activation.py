"""Guided backpropagation: layer.activation replaced in a functional model

lesson: grad_cam
kind: recipe
claim: A layer whose activation attribute is replaced uses the new one.
expect: zeros
"""

import tensorflow as tf

keras = tf.keras


@tf.custom_gradient
def blocked(x):
    return tf.nn.relu(x), lambda upstream: tf.zeros_like(upstream)


inputs = keras.Input((2,))
layer = keras.layers.Dense(1, activation="relu", kernel_initializer="ones", name="dense")
model = keras.Model(inputs, layer(inputs))
layer.activation = blocked
x = tf.constant([[1.0, 2.0]])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = model(x)
print(tape.gradient(y, x) * tf.constant(1.0))
