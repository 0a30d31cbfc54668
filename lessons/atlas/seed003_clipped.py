"""Gradients clipped by their norm before they are applied

lesson: gradients_while_training
kind: seed
seed: 003
claim: Gradients can be clipped between the tape and the optimizer.
expect: value
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
inputs, targets = tf.constant([[1.0], [2.0]]), tf.constant([[7.0], [12.0]])
gradients, norm = tf.clip_by_global_norm(gradients_of(model, inputs, targets), 1.0)
optimizer.apply_gradients(zip(gradients, model.trainable_variables))
print(tf.linalg.global_norm(gradients))
