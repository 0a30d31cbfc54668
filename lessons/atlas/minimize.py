"""I call optimizer.minimize

lesson: gradients_while_training
kind: recipe
claim: minimize(function, variables) takes one step.
expect: value
"""

import tensorflow as tf

keras = tf.keras

w = tf.Variable(3.0)
keras.optimizers.Adam().minimize(lambda: w * w, [w])
print(w)
