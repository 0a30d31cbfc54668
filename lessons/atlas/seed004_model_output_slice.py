"""model.output[:, k] of a Sequential around another model

lesson: symbolic_outputs
kind: seed
seed: 004
claim: The class's score can be cut out of model.output.
expect: symbolic
"""

import tensorflow as tf

keras = tf.keras

inputs = keras.Input((6, 6, 3))
hidden = keras.layers.Conv2D(2, 3, kernel_initializer="ones", name="mixed10")(inputs)
inner = keras.Model(inputs, keras.layers.GlobalAveragePooling2D()(hidden), name="inception")
model = keras.Sequential([inner, keras.layers.Dense(2, kernel_initializer="ones")])
x = tf.ones((1, 6, 6, 3))
model(x)
print(model.output[:, 1])
