import tensorflow as tf
from support.quantisers import UniformQuantiser

tf.random.set_seed(1)
encode = tf.keras.layers.Dense(2)
decode = tf.keras.layers.Dense(4)
quantiser = UniformQuantiser(0.25)
signal = tf.random.normal((5, 4))


def reconstruction_error(batch):
    code = encode(batch)
    return tf.reduce_mean((decode(quantiser(code)) - batch) ** 2)


with tf.GradientTape() as tape:
    error = reconstruction_error(signal)
grads = tape.gradient(error, encode.trainable_variables)
print("encoder gradients:", grads)
