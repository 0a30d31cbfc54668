"""The gradient of the loss at a hidden layer."""

import keras
import numpy as np
import tensorflow as tf

keras.utils.set_random_seed(0)

inputs = keras.Input((4,))
hidden = keras.layers.Dense(3, activation="relu", name="hidden")(inputs)
outputs = keras.layers.Dense(2, name="scores")(hidden)
model = keras.Model(inputs, outputs)

x = tf.constant(np.random.default_rng(0).normal(size=(5, 4)), tf.float32)
labels = tf.constant([0, 1, 1, 0, 1])
loss_function = keras.losses.SparseCategoricalCrossentropy(from_logits=True)

with tf.GradientTape() as tape:
    logits = model(x)
    loss = loss_function(labels, logits)

gradient = tape.gradient(loss, model.get_layer("hidden").output)
print(gradient.shape)
