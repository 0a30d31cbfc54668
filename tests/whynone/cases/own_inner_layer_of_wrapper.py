import tensorflow as tf


class Block(tf.keras.layers.Layer):
    def __init__(self):
        super().__init__()
        self.conv = tf.keras.layers.Conv1D(2, 3, padding="same", name="inner_conv")
        self.act = tf.keras.layers.ReLU()

    def call(self, x):
        return self.act(self.conv(x))


signal = tf.keras.Input((8, 1))
block = Block()
features = block(signal)
logit = tf.keras.layers.Dense(1)(tf.keras.layers.GlobalMaxPooling1D()(features))
model = tf.keras.Model(signal, logit)

probe = tf.keras.Model(signal, [block.conv.output, logit])
with tf.GradientTape() as tape:
    maps, score = probe(tf.ones((1, 8, 1)))
print(tape.gradient(score, maps))
