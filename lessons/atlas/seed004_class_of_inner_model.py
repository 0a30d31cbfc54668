"""The class of the nested model, as model.summary() shows it

lesson: nested_models
kind: seed
seed: 004
claim: The summary says "inception_v3 (Model)".
expect: value Model
"""

import tensorflow as tf

keras = tf.keras

inputs = keras.Input((6, 6, 3))
hidden = keras.layers.Conv2D(2, 3, kernel_initializer="ones", name="mixed10")(inputs)
inner = keras.Model(inputs, keras.layers.GlobalAveragePooling2D()(hidden), name="inception")
model = keras.Sequential([inner, keras.layers.Dense(2, kernel_initializer="ones")])
x = tf.ones((1, 6, 6, 3))
print(type(model.get_layer("inception")).__name__)
