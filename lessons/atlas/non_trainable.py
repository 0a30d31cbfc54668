"""My variable was made with trainable=False

lesson: unwatched_tensor
kind: broken
cause: non_trainable
"""

import tensorflow as tf

w = tf.Variable(3.0, trainable=False)
with tf.GradientTape() as tape:
    y = w * w
print(tape.gradient(y, w))
