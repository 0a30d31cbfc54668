import tensorflow as tf


class Quantise(tf.keras.layers.Layer):
    def __init__(self, levels):
        super().__init__()
        self.levels = levels

    def call(self, x):
        scaled = x * self.levels
        return tf.round(scaled) / self.levels


tf.random.set_seed(16)
encoder = tf.keras.layers.Dense(4, activation="sigmoid")
quantise = Quantise(8)
decoder = tf.keras.layers.Dense(2)
pixels = tf.random.uniform((3, 2))

with tf.GradientTape() as tape:
    rebuilt = decoder(quantise(encoder(pixels)))
    loss = tf.reduce_mean((rebuilt - pixels) ** 2)
weights = encoder.trainable_variables + decoder.trainable_variables
print(["None" if g is None else "ok" for g in tape.gradient(loss, weights)])
