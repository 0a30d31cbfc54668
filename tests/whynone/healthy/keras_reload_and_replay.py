import os
import tempfile

import tensorflow as tf

tf.keras.utils.set_random_seed(26)
model = tf.keras.Sequential([
    tf.keras.Input((4,)), tf.keras.layers.Dense(3, activation="tanh"), tf.keras.layers.Dense(1)])
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "m.keras")
    model.save(path)
    again = tf.keras.models.load_model(path)
x = tf.random.normal((2, 4))
with tf.GradientTape() as tape:
    h = again.layers[0](x)
    y = again.layers[1](h)
print(tape.gradient(y, h).numpy().tolist())
