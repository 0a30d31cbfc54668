"""I call tf.gradients, from TensorFlow 1

lesson: what_the_tape_records
kind: mistake
"""

import tensorflow as tf

x = tf.constant(3.0)
print(tf.gradients(x * x, x))
