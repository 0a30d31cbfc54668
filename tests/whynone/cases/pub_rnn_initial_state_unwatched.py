import tensorflow as tf

tf.random.set_seed(21)


class Encoder(tf.keras.layers.Layer):
    def __init__(self, units):
        super().__init__()
        self.rnn = tf.keras.layers.GRU(units, return_sequences=True, return_state=True)

    def call(self, x, h0):
        return self.rnn(x, initial_state=h0)


encoder = Encoder(3)
x = tf.random.normal((2, 5, 4))
h0 = tf.zeros((2, 3))
encoder(x, h0)
with tf.GradientTape() as tape:
    sequence, last = encoder(x, h0)
sensitivity = tape.gradient(last, h0)
print("d h_T / d h_0:", sensitivity)
