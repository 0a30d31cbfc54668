"""Some of my layers do not reach the loss

lesson: what_the_tape_records
kind: mistake
cause: no_path
"""

import tensorflow as tf

keras = tf.keras

used = tf.Variable(3.0, name="used")
unused = tf.Variable(3.0, name="unused")
with tf.GradientTape() as tape:
    y = used * used
gradients = tape.gradient(y, [used, unused])
keras.optimizers.SGD().apply_gradients(zip(gradients, [used, unused]))
print(gradients[1])
