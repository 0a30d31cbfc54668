"""I give the optimizer only None

lesson: outside_the_tape
kind: mistake
cause: outside_tape
"""

import tensorflow as tf

keras = tf.keras

inputs = keras.Input((2,), name="inputs")
dense = keras.layers.Dense(1, kernel_initializer="ones", name="dense")
model = keras.Model(inputs, dense(inputs))
y = model(tf.constant([[1.0, 2.0]]))
with tf.GradientTape() as tape:
    loss = tf.reduce_sum(y)
gradients = tape.gradient(loss, model.trainable_variables)
optimizer = keras.optimizers.SGD()
optimizer.apply_gradients(zip(gradients, model.trainable_variables))
print(model.trainable_variables[0])
