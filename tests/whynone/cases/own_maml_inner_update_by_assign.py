import tensorflow as tf

initial = tf.Variable([0.5, -0.5], name="initial")
fast = tf.Variable([0.0, 0.0], name="fast")
x = tf.constant([[1.0, 2.0], [0.5, -1.0]])
y = tf.constant([1.0, 0.3])


def loss_of(weights):
    return tf.reduce_mean((tf.linalg.matvec(x, weights) - y) ** 2)


with tf.GradientTape() as meta:
    fast.assign(initial)
    with tf.GradientTape() as inner:
        support_loss = loss_of(fast)
    step = inner.gradient(support_loss, fast)
    fast.assign_sub(0.1 * step)
    query_loss = loss_of(fast)

print("query loss", round(float(query_loss), 4))
print("meta gradient", meta.gradient(query_loss, initial))
