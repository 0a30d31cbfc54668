"""model.get_layer with the name of a layer of the nested model

lesson: nested_models
kind: recipe
claim: get_layer finds a layer by its name.
expect: a Dense
"""

import tensorflow as tf

keras = tf.keras

inputs = keras.Input((2,), name="inputs")
dense = keras.layers.Dense(1, kernel_initializer="ones", name="dense")
model = keras.Model(inputs, dense(inputs))
outer_inputs = keras.Input((2,))
outer = keras.Model(outer_inputs, model(outer_inputs))
print(outer.get_layer("dense"))
