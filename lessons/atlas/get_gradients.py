"""I call optimizer.get_gradients

lesson: gradients_while_training
kind: recipe
claim: The optimizer of a model hands out the gradients of model.output.
expect: symbolic
"""

import tensorflow as tf

keras = tf.keras

inputs = keras.Input((2,), name="inputs")
dense = keras.layers.Dense(1, kernel_initializer="ones", name="dense")
model = keras.Model(inputs, dense(inputs))
optimizer = keras.optimizers.Adam()
print(optimizer.get_gradients(model.output, model.trainable_variables))
