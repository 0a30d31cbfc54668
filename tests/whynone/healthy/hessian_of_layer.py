import tensorflow as tf

tf.keras.utils.set_random_seed(18)
x = tf.random.normal((5, 2))
w = tf.Variable(tf.random.normal((2, 1)))
with tf.GradientTape() as outer:
    with tf.GradientTape() as inner:
        loss = tf.reduce_mean(tf.nn.softplus(x @ w))
    g = inner.gradient(loss, w)
h = outer.jacobian(g, w)
print(tf.reshape(h, (2, 2)).numpy().tolist())
