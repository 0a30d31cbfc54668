"""I call assign_sub after w = w - rate * gradient

lesson: variables_and_state
kind: mistake
cause: rebound
"""

import tensorflow as tf

w = tf.Variable(3.0)
w = w - 0.1
w.assign_sub(0.1)
print(w)
