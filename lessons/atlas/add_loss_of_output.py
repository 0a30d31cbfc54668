"""model.add_loss(tensor of a functional model)

lesson: gradients_while_training
kind: recipe
claim: A penalty on an activation, added to a functional model.
expect: list
"""

import tensorflow as tf

keras = tf.keras

inputs = keras.Input((2,), name="inputs")
dense = keras.layers.Dense(1, kernel_initializer="ones", name="dense")
model = keras.Model(inputs, dense(inputs))
model.add_loss(tf.reduce_mean(dense.output))
print(model.losses)
