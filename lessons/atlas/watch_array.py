"""I watch a NumPy array

lesson: unwatched_tensor
kind: mistake
"""

import numpy as np
import tensorflow as tf

x = np.array([3.0])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.square(x)
print(tape.gradient(y, x))
