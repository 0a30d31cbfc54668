"""I ask for the gradient of a NumPy array

lesson: left_tensorflow
kind: mistake
cause: left_tensorflow
"""

import numpy as np
import tensorflow as tf

x = np.array([3.0], "float32")
with tf.GradientTape() as tape:
    y = tf.square(x)
print(tape.gradient(y, x))
