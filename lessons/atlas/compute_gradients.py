"""optimizer.compute_gradients, as in TensorFlow 1

lesson: gradients_while_training
kind: recipe
claim: A list of pairs of gradient and variable.
expect: list
"""

import tensorflow as tf

keras = tf.keras

w = tf.Variable(3.0)
print(keras.optimizers.SGD().compute_gradients(lambda: w * w, [w]))
