"""I call optimizer.get_gradients for a loss that uses round

lesson: not_differentiable
kind: mistake
cause: not_differentiable
"""

import tensorflow as tf

keras = tf.keras

inputs = keras.Input((2,), name="inputs")
dense = keras.layers.Dense(1, kernel_initializer="ones", name="dense")
model = keras.Model(inputs, dense(inputs))
get_gradients = keras.optimizers.Adam().get_gradients
print(get_gradients(tf.round(model.output), model.trainable_variables))
