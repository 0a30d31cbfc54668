import tensorflow as tf

tf.random.set_seed(5)
layers = [tf.Variable(tf.random.normal((3, 3)) * 0.5), tf.Variable(tf.random.normal((3, 1)) * 0.5)]
x = tf.random.normal((5, 3))
y = tf.ones((5, 1))


def forward(weights, x):
    for w in weights:
        x = tf.tanh(x @ w)
    return x


for epoch in range(3):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((forward(layers, x) - y) ** 2)
    grads = tape.gradient(loss, layers)
    if None in grads:
        print("epoch", epoch, "lost the gradient")
        break
    layers = [w - 0.1 * g for w, g in zip(layers, grads)]
    print("epoch", epoch, "ok")
