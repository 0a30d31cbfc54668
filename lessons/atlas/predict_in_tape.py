"""My loss goes through model.predict

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
    y = tf.reduce_sum(model.predict(np.ones((1, 2)), verbose=0))
print(tape.gradient(y, model.trainable_variables)[0])
