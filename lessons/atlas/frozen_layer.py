"""layer.trainable = False, and the gradient of its kernel

lesson: unwatched_tensor
kind: recipe
claim: A frozen layer's weights have no gradient.
expect: None
"""

import tensorflow as tf

keras = tf.keras

inputs = keras.Input((2,), name="inputs")
dense = keras.layers.Dense(1, kernel_initializer="ones", name="dense")
model = keras.Model(inputs, dense(inputs))
dense.trainable = False
with tf.GradientTape() as tape:
    y = model(tf.constant([[1.0, 2.0]]))
print(tape.gradient(y, dense.kernel))
