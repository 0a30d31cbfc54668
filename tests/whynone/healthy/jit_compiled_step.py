import tensorflow as tf

tf.random.set_seed(13)
w = tf.Variable(tf.random.normal((3, 2)))
x = tf.random.normal((4, 3))


@tf.function(jit_compile=True)
def loss_and_grad():
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.nn.softplus(x @ w))
    return loss, tape.gradient(loss, w)


loss, g = loss_and_grad()
print(round(float(loss), 5), g.numpy().round(5).ravel().tolist())
