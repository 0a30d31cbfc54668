"""x[0] = 1.0 on a tensor

lesson: variables_and_state
kind: mistake
cause: variable_state
"""

import tensorflow as tf

x = tf.constant([1.0, 2.0])
x[0] = 5.0
print(x)
