"""A model from the outer input to mixed10 and the outer output

lesson: nested_models
kind: seed
seed: 004
cause: disconnected_model
claim: A second model exposes the inner layer's output together with the prediction.
expect: value
"""

import tensorflow as tf

keras = tf.keras

inputs = keras.Input((6, 6, 3))
hidden = keras.layers.Conv2D(2, 3, kernel_initializer="ones", name="mixed10")(inputs)
inner = keras.Model(inputs, keras.layers.GlobalAveragePooling2D()(hidden), name="inception")
outer_inputs = keras.Input((6, 6, 3))
last = keras.layers.Dense(2, kernel_initializer="ones")
model = keras.Model(outer_inputs, last(inner(outer_inputs)))
mixed = model.get_layer("inception").get_layer("mixed10")
both = keras.Model(model.inputs, [mixed.output, model.output])
with tf.GradientTape() as tape:
    activation, preds = both(tf.ones((1, 6, 6, 3)))
print(tape.gradient(preds, activation))
