import os
import tempfile

import tensorflow as tf
from tensorflow.keras import layers

tf.random.set_seed(8)
trained = tf.keras.Sequential([
    tf.keras.Input((5,)), layers.Dense(4, name="code"), layers.Dense(1, name="value")])
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "trained.keras")
    trained.save(path)
    restored = tf.keras.models.load_model(path, compile=False)


def explain(model, batch):
    tap = tf.keras.Model(model.inputs, [model.get_layer("code").output, model.outputs[0]])
    with tf.GradientTape() as tape:
        code, value = tap(batch)
    return tape.gradient(value, code)


batch = tf.random.normal((2, 5))
print("restored:", explain(restored, batch))
