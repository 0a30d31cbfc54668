"""The answer's training loop, on a vector, as printed

lesson: gradients_while_training
kind: seed
seed: 003
claim: The example runs on tf.random.normal([2000]).
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
inputs = tf.ones([20])
print(loss_fn(model, inputs, inputs * 5.0 + 2.0))
