"""I call the layer a second time to get its output

lesson: outside_the_tape
kind: broken
cause: other_call
"""

import tensorflow as tf

keras = tf.keras

inputs = keras.Input((2,), name="inputs")
dense = keras.layers.Dense(1, kernel_initializer="ones", name="dense")
model = keras.Model(inputs, dense(inputs))
x = tf.constant([[1.0, 2.0]])
with tf.GradientTape() as tape:
    y = model(x)
    again = dense(x)
print(tape.gradient(y, again))
