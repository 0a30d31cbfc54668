"""x.grad, as in PyTorch

lesson: what_the_tape_records
kind: mistake
"""

import tensorflow as tf

w = tf.Variable(3.0)
with tf.GradientTape() as tape:
    loss = w * w
print(w.grad)
