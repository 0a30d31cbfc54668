import tensorflow as tf


@tf.custom_gradient
def log1pexp(x):
    e = tf.exp(x)

    def grad(upstream):
        return upstream * (1 - 1 / (1 + e))

    return tf.math.log(1 + e), grad


x = tf.constant([-1.0, 0.0, 4.0])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = log1pexp(x) * tf.constant([1.0, 2.0, 3.0])
print(tape.gradient(y, x).numpy().tolist())
