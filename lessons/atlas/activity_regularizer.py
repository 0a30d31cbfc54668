"""activity_regularizer: the layer's loss in a tape

lesson: gradients_while_training
kind: recipe
claim: model.losses holds the penalty, and it has a gradient.
expect: value
"""

import tensorflow as tf

keras = tf.keras

layer = keras.layers.Dense(1, kernel_initializer="ones", activity_regularizer="l2")
model = keras.Sequential([layer])
x = tf.constant([[1.0, 2.0]])
model(x)
with tf.GradientTape() as tape:
    tape.watch(x)
    model(x)
    loss = tf.add_n(model.losses)
print(tape.gradient(loss, x))
