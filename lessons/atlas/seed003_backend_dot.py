"""The cell of the question multiplies with K.dot

lesson: recurrent_outputs
kind: seed
seed: 003
claim: keras.backend.dot multiplies matrices inside a layer.
expect: value
"""

import tensorflow as tf

keras = tf.keras

print(keras.backend.dot(tf.ones((1, 2)), tf.ones((2, 2))))
