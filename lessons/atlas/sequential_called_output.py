"""model.output of a Sequential called on data

lesson: no_inbound_nodes
kind: recipe
claim: After a call on data a Sequential has an output.
expect: symbolic
"""

import tensorflow as tf

keras = tf.keras

model = keras.Sequential(
    [
        keras.layers.Dense(2, kernel_initializer="ones", name="hidden"),
        keras.layers.Dense(1, kernel_initializer="ones"),
    ]
)
x = tf.constant([[1.0, 2.0]])
model(x)
print(model.output)
