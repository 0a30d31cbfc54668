"""watch_accessed_variables=False and tape.watch(input)

lesson: unwatched_tensor
kind: recipe
claim: Only what is watched by hand is followed.
expect: value
"""

import tensorflow as tf

keras = tf.keras

inputs = keras.Input((2,), name="inputs")
dense = keras.layers.Dense(1, kernel_initializer="ones", name="dense")
model = keras.Model(inputs, dense(inputs))
x = tf.constant([[1.0, 2.0]])
with tf.GradientTape(watch_accessed_variables=False) as tape:
    tape.watch(x)
    y = model(x)
print(tape.gradient(y, x))
