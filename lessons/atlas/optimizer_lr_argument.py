"""SGD(lr=0.5)

lesson: gradients_while_training
kind: recipe
claim: The learning rate is the argument lr.
expect: value
"""

import tensorflow as tf

keras = tf.keras

print(keras.optimizers.SGD(lr=0.5).learning_rate)
