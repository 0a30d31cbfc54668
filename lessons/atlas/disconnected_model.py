"""I make a model from the outer input to a layer of the inner model

lesson: nested_models
kind: broken
cause: disconnected_model
"""

import tensorflow as tf

keras = tf.keras

inputs = keras.Input((2,), name="inputs")
dense = keras.layers.Dense(1, kernel_initializer="ones", name="dense")
inner = keras.Model(inputs, dense(inputs))
outer_inputs = keras.Input((2,), name="outer_inputs")
outer = keras.Model(outer_inputs, inner(outer_inputs))
both = keras.Model(outer.input, [dense.output, outer.output])
with tf.GradientTape() as tape:
    activation, y = both(tf.constant([[1.0, 2.0]]))
print(tape.gradient(y, activation))
