"""unconnected_gradients="zero" for a layer's weight

lesson: variables_and_state
kind: mistake
cause: no_path
"""

import tensorflow as tf

keras = tf.keras

layer = keras.layers.Dense(1)
layer(tf.ones((1, 1)))
x = tf.constant(3.0)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = x * x
print(tape.gradient(y, layer.kernel, unconnected_gradients="zero"))
