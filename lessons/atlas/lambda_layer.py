"""The trainable_variables of a Lambda layer that uses a variable

lesson: variables_and_state
kind: mistake
"""

import tensorflow as tf

keras = tf.keras

w = tf.Variable(2.0, name="w")
layer = keras.layers.Lambda(lambda x: w * x, name="scale")
with tf.GradientTape():
    layer(tf.constant([[1.0, 2.0]]))
print(layer.trainable_variables)
