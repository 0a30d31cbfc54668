import tensorflow as tf

tf.random.set_seed(12)
params = {
    "w1": tf.Variable(tf.random.normal((3, 4))),
    "b1": tf.Variable(tf.zeros(4)),
    "w2": tf.Variable(tf.random.normal((4, 1))),
    "b2": tf.Variable(tf.zeros(1)),
}


def forward(x):
    h = tf.tanh(x @ params["w1"])
    return h @ params["w2"] + params["b2"]


x = tf.random.normal((5, 3))
with tf.GradientTape() as tape:
    loss = tf.reduce_mean(forward(x) ** 2)
grads = tape.gradient(loss, params)
print({k: None if g is None else tuple(g.shape) for k, g in grads.items()})
