"""I write w -= rate * gradient for a tf.Variable

lesson: variables_and_state
kind: mistake
cause: rebound
"""

import tensorflow as tf

w = tf.Variable(3.0)
w -= 0.5
print(w)
