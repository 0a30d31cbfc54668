"""The second step, after w.assign_sub(rate * gradient)

lesson: variables_and_state
kind: fixed
cause: rebound
"""

import tensorflow as tf

w = tf.Variable(3.0)
for _ in range(2):
    with tf.GradientTape() as tape:
        y = w * w
    gradient = tape.gradient(y, w)
    w.assign_sub(0.125 * gradient)
print(gradient)
