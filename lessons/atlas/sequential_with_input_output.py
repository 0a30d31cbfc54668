"""model.output of a Sequential with an Input

lesson: no_inbound_nodes
kind: recipe
claim: A Sequential with an Input has an output.
expect: symbolic
"""

import tensorflow as tf

keras = tf.keras

model = keras.Sequential(
    [
        keras.Input((2,)),
        keras.layers.Dense(2, kernel_initializer="ones", name="hidden"),
        keras.layers.Dense(1, kernel_initializer="ones"),
    ]
)
x = tf.constant([[1.0, 2.0]])
print(model.output)
