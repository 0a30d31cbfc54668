"""tf.reduce_mean between two layers of a functional model

lesson: symbolic_outputs
kind: recipe
claim: TensorFlow functions may stand between layers.
expect: value
"""

import tensorflow as tf

keras = tf.keras

inputs = keras.Input((2,))
mean = tf.reduce_mean(inputs, axis=1, keepdims=True)
model = keras.Model(inputs, keras.layers.Dense(1, kernel_initializer="ones")(mean))
print(model(tf.constant([[1.0, 2.0]])))
