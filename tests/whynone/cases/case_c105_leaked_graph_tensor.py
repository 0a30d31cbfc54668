import tensorflow as tf

kept = {}


@tf.function
def network(x):
    hidden = tf.tanh(2.0 * x)
    kept["hidden"] = hidden
    return tf.reduce_sum(hidden ** 2)


x = tf.constant([0.1, 0.2, 0.3])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = network(x)
print("d y / d hidden:", tape.gradient(y, kept["hidden"]))
