"""I call minimize of an SGD optimizer

lesson: variables_and_state
kind: recipe
claim: minimize(function, variables) takes one step.
expect: value
"""

import tensorflow as tf

keras = tf.keras

w = tf.Variable(3.0)
keras.optimizers.SGD(0.25).minimize(lambda: w * w, [w])
print(w)
