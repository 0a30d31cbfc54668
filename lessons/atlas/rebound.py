"""The second step, after w = w - rate * gradient

lesson: variables_and_state
kind: broken
cause: rebound
"""

import tensorflow as tf

w = tf.Variable(3.0)
for _ in range(2):
    with tf.GradientTape() as tape:
        y = w * w
    gradient = tape.gradient(y, w)
    w = w - 0.1 * (0.0 if gradient is None else gradient)
print(gradient)
