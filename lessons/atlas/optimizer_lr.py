"""optimizer.lr

lesson: gradients_while_training
kind: recipe
claim: The learning rate.
expect: value
"""

import tensorflow as tf

keras = tf.keras

print(keras.optimizers.SGD(learning_rate=0.5).lr)
