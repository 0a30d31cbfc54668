"""watch_accessed_variables=False and tape.watch(layer.trainable_variables)

lesson: unwatched_tensor
kind: recipe
claim: The chosen layer's weights alone are watched.
expect: value
"""

import tensorflow as tf

keras = tf.keras

inputs = keras.Input((2,), name="inputs")
dense = keras.layers.Dense(1, kernel_initializer="ones", name="dense")
model = keras.Model(inputs, dense(inputs))
with tf.GradientTape(watch_accessed_variables=False) as tape:
    tape.watch(dense.trainable_variables)
    y = model(tf.constant([[1.0, 2.0]]))
print(tape.gradient(y, dense.trainable_variables[0]))
