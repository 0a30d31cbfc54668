"""My loss uses tf.py_function with TensorFlow operations in it

lesson: left_tensorflow
kind: recipe
claim: "py_function is differentiable", for the TensorFlow operations in it.
expect: value
"""

import tensorflow as tf

x = tf.constant(3.0)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.py_function(lambda x: tf.square(x), [x], tf.float32)
print(tape.gradient(y, x))
