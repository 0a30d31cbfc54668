"""The answer's training loop, on a column of numbers

lesson: gradients_while_training
kind: seed
seed: 003
claim: Gradients from a tape, given to Adam with zip, train the model.
expect: value True
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
before = loss_fn(model, inputs, targets)
for _ in range(5):
    gradients = gradients_of(model, inputs, targets)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
print(bool(loss_fn(model, inputs, targets) < before))
