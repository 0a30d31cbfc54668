"""I call a NumPy function in a loss that tf.function traces

lesson: left_tensorflow
kind: mistake
cause: left_tensorflow
"""

import numpy as np
import tensorflow as tf

square = tf.function(lambda x: np.square(np.array(x)), autograph=False)
print(square(tf.constant(3.0)))
