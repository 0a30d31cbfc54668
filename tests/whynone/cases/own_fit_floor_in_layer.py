import numpy as np
import tensorflow as tf


class Binning(tf.keras.layers.Layer):
    def __init__(self, bins):
        super().__init__()
        self.bins = bins

    def call(self, x):
        return tf.floor(x * self.bins) / self.bins


rng = np.random.default_rng(4)
x = rng.normal(size=(12, 3)).astype("float32")
y = x.sum(axis=1, keepdims=True)
tf.random.set_seed(8)
model = tf.keras.Sequential([
    tf.keras.Input((3,)),
    tf.keras.layers.Dense(4, activation="sigmoid", name="squash"),
    Binning(4),
    tf.keras.layers.Dense(1, name="linear"),
])
before = model.get_layer("squash").kernel.numpy().copy()
model.compile(optimizer=tf.keras.optimizers.SGD(0.1), loss="mse")
model.fit(x, y, epochs=2, batch_size=6, verbose=0)
print("squash moved:", bool(np.any(before != model.get_layer("squash").kernel.numpy())))
