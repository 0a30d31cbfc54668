"""K.stop_gradient

lesson: not_differentiable
kind: mistake
cause: stop_gradient
"""

import tensorflow as tf

keras = tf.keras

x = tf.constant(3.0)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = keras.backend.stop_gradient(x) * 2.0
print(tape.gradient(y, x))
