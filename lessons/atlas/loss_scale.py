"""I scale the loss by hand and forget to scale the gradient back

lesson: not_none_but_wrong
kind: broken
cause: loss_scale
"""

import tensorflow as tf

w = tf.Variable(3.0)
with tf.GradientTape() as tape:
    loss = w * w
    scaled = loss * 1024.0
print(tape.gradient(scaled, w))
