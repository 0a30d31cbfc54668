"""I give TensorBoard write_grads=True

lesson: gradients_while_training
kind: recipe
claim: The callback writes histograms of the gradients.
expect: a TensorBoard
"""

import tensorflow as tf

keras = tf.keras

print(keras.callbacks.TensorBoard(write_grads=True))
