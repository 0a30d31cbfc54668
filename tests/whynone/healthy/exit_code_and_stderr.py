import sys

import tensorflow as tf

v = tf.Variable(2.0)
with tf.GradientTape() as tape:
    y = v ** 2
print("gradient", float(tape.gradient(y, v)))
print("to the error stream", file=sys.stderr)
sys.exit(7)
