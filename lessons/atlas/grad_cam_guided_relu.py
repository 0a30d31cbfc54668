"""Guided backpropagation: a relu with its own gradient

lesson: grad_cam
kind: recipe
claim: A custom_gradient relu that passes positive gradients only.
expect: value
"""

import tensorflow as tf


@tf.custom_gradient
def guided_relu(x):
    def backward(upstream):
        return tf.cast(upstream > 0.0, tf.float32) * tf.cast(x > 0.0, tf.float32) * upstream

    return tf.nn.relu(x), backward


x = tf.constant([-1.0, 2.0, 3.0])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = guided_relu(x) * tf.constant([1.0, 1.0, -1.0])
print(tape.gradient(y, x))
