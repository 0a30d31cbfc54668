import numpy as np
import tensorflow as tf

tf.random.set_seed(1)
layer = tf.keras.layers.Dense(2)
data = tf.random.normal((3, 4))
wanted = tf.zeros((3, 2))

with tf.GradientTape() as tape:
    out = layer(data)
    error = np.abs(out - wanted).sum()

print("type of error:", type(error).__name__)
grads = tape.gradient(error, layer.trainable_variables)
print([g.shape for g in grads])
