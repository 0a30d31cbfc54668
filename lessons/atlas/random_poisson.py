"""My loss uses tf.random.poisson with a rate that is learned

lesson: not_differentiable
kind: mistake
cause: unregistered_gradient
"""

import tensorflow as tf

rate = tf.constant([2.0, 3.0])
with tf.GradientTape() as tape:
    tape.watch(rate)
    y = tf.random.poisson([], rate)
print(tape.gradient(y, rate))
