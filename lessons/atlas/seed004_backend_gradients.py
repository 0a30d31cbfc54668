"""K.gradients in eager mode

lesson: symbolic_outputs
kind: seed
seed: 004
claim: K.gradients raises "tf.gradients is not supported when eager execution is enabled".
expect: RuntimeError
"""

import tensorflow as tf

keras = tf.keras

inputs = keras.Input((6, 6, 3))
hidden = keras.layers.Conv2D(2, 3, kernel_initializer="ones", name="mixed10")(inputs)
inner = keras.Model(inputs, keras.layers.GlobalAveragePooling2D()(hidden), name="inception")
model = keras.Sequential([inner, keras.layers.Dense(2, kernel_initializer="ones")])
x = tf.ones((1, 6, 6, 3))
inner = model.get_layer("inception")
print(keras.backend.gradients(inner.output, inner.get_layer("mixed10").output))
