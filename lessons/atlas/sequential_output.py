"""I ask for model.output of a Sequential without Input

lesson: no_inbound_nodes
kind: mistake
cause: never_called
"""

import tensorflow as tf

keras = tf.keras

model = keras.Sequential([keras.layers.Dense(1)])
print(model.output)
