""" "W = {}, B = {}".format(*model.trainable_variables)

lesson: weights_or_inputs
kind: seed
seed: 003
claim: The model has two trainable variables, W and B.
expect: value 2
"""

import tensorflow as tf

keras = tf.keras


def loss_fn(model, inputs, targets):
    error = model(inputs) - targets
    return tf.reduce_mean(tf.square(error))


def gradients_of(model, inputs, targets):
    with tf.GradientTape() as tape:
        loss_value = loss_fn(model, inputs, targets)
    return tape.gradient(loss_value, model.trainable_variables)


model = keras.Sequential([keras.layers.Dense(1, kernel_initializer="ones")])
optimizer = keras.optimizers.Adam(learning_rate=0.01)
model(tf.ones((1, 1)))
print(len(model.trainable_variables))
