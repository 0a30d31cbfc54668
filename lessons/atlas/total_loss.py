"""K.gradients(model.total_loss, weights)

lesson: gradients_while_training
kind: recipe
cause: symbolic
claim: A compiled model has its loss as a tensor, model.total_loss.
expect: symbolic
"""

import tensorflow as tf

keras = tf.keras

inputs = keras.Input((2,), name="inputs")
dense = keras.layers.Dense(1, kernel_initializer="ones", name="dense")
model = keras.Model(inputs, dense(inputs))
model.compile(optimizer="sgd", loss="mse")
print(keras.backend.gradients(model.total_loss, model.trainable_weights))
