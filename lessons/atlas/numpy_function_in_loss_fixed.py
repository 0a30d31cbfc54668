"""My loss calls the TensorFlow function of the same name

lesson: left_tensorflow
kind: fixed
cause: left_tensorflow
"""

import tensorflow as tf

x = tf.constant(3.0)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.reduce_sum(tf.square(x))
print(tape.gradient(y, x))
