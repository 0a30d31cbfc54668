"""self.compute_loss(x, y, y_pred) in a train_step

lesson: gradients_while_training
kind: recipe
claim: The loss that was given to compile.
expect: value
"""

import tensorflow as tf

keras = tf.keras

inputs = keras.Input((2,), name="inputs")
dense = keras.layers.Dense(1, kernel_initializer="ones", name="dense")
model = keras.Model(inputs, dense(inputs))
model.compile(optimizer="sgd", loss="mse")
x = tf.constant([[1.0, 2.0]])
print(model.compute_loss(x, tf.ones((1, 1)), model(x)))
