"""loss.backward(), as in PyTorch

lesson: what_the_tape_records
kind: mistake
"""

import tensorflow as tf

w = tf.Variable(3.0)
loss = w * w
loss.backward()
print(w)
