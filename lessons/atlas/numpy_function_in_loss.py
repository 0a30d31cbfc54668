"""My loss calls a NumPy function

lesson: left_tensorflow
kind: broken
cause: left_tensorflow
"""

import numpy as np
import tensorflow as tf

x = tf.constant(3.0)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.reduce_sum(tf.constant(np.square(x)))
print(tape.gradient(y, x))
