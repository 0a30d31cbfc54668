"""watch_accessed_variables=False and nothing watched

lesson: unwatched_tensor
kind: mistake
cause: unwatched
"""

import tensorflow as tf

w = tf.Variable(3.0)
with tf.GradientTape(watch_accessed_variables=False) as tape:
    y = w * w
print(tape.gradient(y, w))
