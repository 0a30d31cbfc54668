"""My loss uses tf.numpy_function

lesson: left_tensorflow
kind: mistake
cause: left_tensorflow
"""

import numpy as np
import tensorflow as tf

x = tf.constant(3.0)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.numpy_function(np.square, [x], tf.float32)
print(tape.gradient(y, x))
