"""I ask for the gradient of model.output

lesson: symbolic_outputs
kind: mistake
cause: symbolic
"""

import tensorflow as tf

keras = tf.keras

inputs = keras.Input((2,), name="inputs")
dense = keras.layers.Dense(1, kernel_initializer="ones", name="dense")
model = keras.Model(inputs, dense(inputs))
with tf.GradientTape() as tape:
    model(tf.constant([[1.0, 2.0]]))
print(tape.gradient(model.output, model.trainable_variables))
