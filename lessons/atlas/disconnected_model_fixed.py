"""I run the inner model in a second model and the outer layers by hand

lesson: nested_models
kind: fixed
cause: disconnected_model
"""

import tensorflow as tf

keras = tf.keras

inputs = keras.Input((2,), name="inputs")
hidden = keras.layers.Dense(2, kernel_initializer="ones", name="hidden")(inputs)
inner = keras.Model(inputs, keras.layers.Dense(2, kernel_initializer="ones")(hidden))
last = keras.layers.Dense(1, kernel_initializer="ones")
outer_inputs = keras.Input((2,), name="outer_inputs")
outer = keras.Model(outer_inputs, last(inner(outer_inputs)))
both = keras.Model(inner.inputs, [inner.get_layer("hidden").output, inner.outputs[0]])
with tf.GradientTape() as tape:
    activation, inner_output = both(tf.constant([[1.0, 2.0]]))
    y = last(inner_output)
print(tape.gradient(y, activation))
