import tempfile

import tensorflow as tf


class Scaler(tf.Module):
    def __init__(self):
        super().__init__()
        self.w = tf.Variable([1.5, -0.5])

    @tf.function(input_signature=[tf.TensorSpec([2], tf.float32)])
    def __call__(self, x):
        return tf.cond(tf.reduce_sum(x) > 0.0, lambda: self.w * x ** 2, lambda: self.w - x)


with tempfile.TemporaryDirectory() as folder:
    tf.saved_model.save(Scaler(), folder)
    loaded = tf.saved_model.load(folder)
x = tf.constant([1.0, 2.0])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = loaded(x)
print([g.numpy().tolist() for g in tape.gradient(y, [x, loaded.w])])
