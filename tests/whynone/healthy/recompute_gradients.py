import tensorflow as tf

tf.keras.utils.set_random_seed(32)
w1, w2 = tf.Variable(tf.random.normal((3, 4))), tf.Variable(tf.random.normal((4, 1)))
x = tf.random.normal((5, 3))


@tf.recompute_grad
def block(inputs):
    return tf.tanh(inputs @ w1)


with tf.GradientTape() as tape:
    tape.watch(x)
    loss = tf.reduce_mean((block(x) @ w2) ** 2)
print([g.numpy().ravel().tolist() for g in tape.gradient(loss, [x, w1, w2])])
