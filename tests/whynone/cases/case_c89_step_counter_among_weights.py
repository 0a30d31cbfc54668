import tensorflow as tf


class Decayed(tf.Module):
    def __init__(self):
        super().__init__()
        self.kernel = tf.Variable([[0.5], [1.5]], name="kernel")
        self.calls = tf.Variable(1, name="calls")

    def __call__(self, x):
        decay = 1.0 / tf.cast(self.calls, tf.float32)
        return x @ self.kernel * decay


module = Decayed()
x = tf.constant([[1.0, 2.0]])
with tf.GradientTape() as tape:
    loss = tf.reduce_sum(module(x) ** 2)
variables = module.trainable_variables
for v, g in zip(variables, tape.gradient(loss, variables)):
    print(v.name, None if g is None else g.numpy().ravel())
