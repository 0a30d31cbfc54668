"""My loss goes through model.predict_on_batch

lesson: left_tensorflow
kind: mistake
cause: left_tensorflow
"""

import numpy as np
import tensorflow as tf

keras = tf.keras

inputs = keras.Input((2,), name="inputs")
dense = keras.layers.Dense(1, kernel_initializer="ones", name="dense")
model = keras.Model(inputs, dense(inputs))
with tf.GradientTape() as tape:
    y = tf.reduce_sum(model.predict_on_batch(np.ones((1, 2))))
print(tape.gradient(y, model.trainable_variables)[0])
