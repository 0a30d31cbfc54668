"""The answer's last line calls loss(…), and the function is loss_fn

lesson: gradients_while_training
kind: seed
seed: 003
claim: The example prints its final loss.
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
print(loss(model, inputs, targets))  # noqa: F821 - as in the answer
