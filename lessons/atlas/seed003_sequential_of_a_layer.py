"""tf.keras.Sequential(layer), without a list, as printed

lesson: gradients_while_training
kind: seed
seed: 003
claim: Sequential takes a layer that is in no list.
expect: value
"""

import tensorflow as tf

keras = tf.keras

model = keras.Sequential(keras.layers.Dense(1, kernel_initializer="ones"))
print(model(tf.ones((1, 2))))
