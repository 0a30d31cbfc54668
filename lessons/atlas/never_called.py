"""I ask for layer.output of a layer that was called on data

lesson: no_inbound_nodes
kind: broken
cause: never_called
"""

import tensorflow as tf

keras = tf.keras

layer = keras.layers.Dense(1, name="dense")
layer(tf.constant([[1.0, 2.0]]))
print(layer.output)
