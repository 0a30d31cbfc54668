"""get_layer("inception").get_layer("mixed10").output

lesson: nested_models
kind: seed
seed: 004
claim: The inner layer and its output are found by two get_layer calls.
expect: symbolic
"""

import tensorflow as tf

keras = tf.keras

inputs = keras.Input((6, 6, 3))
hidden = keras.layers.Conv2D(2, 3, kernel_initializer="ones", name="mixed10")(inputs)
inner = keras.Model(inputs, keras.layers.GlobalAveragePooling2D()(hidden), name="inception")
model = keras.Sequential([inner, keras.layers.Dense(2, kernel_initializer="ones")])
x = tf.ones((1, 6, 6, 3))
print(model.get_layer("inception").get_layer("mixed10").output)
