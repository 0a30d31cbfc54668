import tensorflow as tf
from tensorflow.keras import layers

inp = tf.keras.Input((6,))
bottleneck = layers.Dense(2, name="bottleneck")(inp)
auto = tf.keras.Model(inp, layers.Dense(6)(bottleneck))
sample = tf.ones((1, 6))

with tf.GradientTape() as tape:
    tape.watch(auto.get_layer("bottleneck").output)
    error = tf.reduce_mean((auto(sample) - sample) ** 2)
print(tape.gradient(error, auto.get_layer("bottleneck").output))
