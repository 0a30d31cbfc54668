"""Sequential([Dense(1)]) on a vector

lesson: no_inbound_nodes
kind: mistake
"""

import tensorflow as tf

keras = tf.keras

model = keras.Sequential([keras.layers.Dense(1)])
print(model(tf.constant([1.0, 2.0, 3.0])))
