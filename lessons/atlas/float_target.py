"""My loss is a Python number, from float() or .item()

lesson: left_tensorflow
kind: mistake
cause: left_tensorflow
"""

import tensorflow as tf

x = tf.constant(3.0)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = float(tf.square(x))
print(tape.gradient(y, x))
