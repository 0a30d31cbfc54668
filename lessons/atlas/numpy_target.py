"""My loss is a NumPy number

lesson: left_tensorflow
kind: mistake
cause: left_tensorflow
"""

import tensorflow as tf

x = tf.constant(3.0)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.square(x).numpy()
print(tape.gradient(y, x))
