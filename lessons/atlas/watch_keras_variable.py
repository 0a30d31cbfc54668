"""I watch a layer's weight, or model.trainable_variables

lesson: unwatched_tensor
kind: mistake
"""

import tensorflow as tf

keras = tf.keras

layer = keras.layers.Dense(1, kernel_initializer="ones", name="dense")
layer(tf.ones((1, 1)))
with tf.GradientTape() as tape:
    tape.watch(layer.trainable_variables)
    y = layer(tf.ones((1, 1)))
print(tape.gradient(y, layer.trainable_variables[0]))
