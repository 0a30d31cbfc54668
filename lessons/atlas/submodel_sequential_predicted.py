"""keras.Model(model.inputs, layer.output), Sequential after predict

lesson: no_inbound_nodes
kind: recipe
claim: After predict a Sequential has inputs and output.
expect: value
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
model.predict(x.numpy(), verbose=0)
print(keras.Model(model.inputs, model.get_layer("hidden").output)(x))
