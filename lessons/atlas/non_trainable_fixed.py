"""I watch a variable that was made with trainable=False

lesson: unwatched_tensor
kind: fixed
cause: non_trainable
"""

import tensorflow as tf

w = tf.Variable(3.0, trainable=False)
with tf.GradientTape() as tape:
    tape.watch(w)
    y = w * w
print(tape.gradient(y, w))
