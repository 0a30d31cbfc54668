import tensorflow as tf

tf.random.set_seed(10)
theta = [tf.Variable(tf.random.normal((2, 3))), tf.Variable(tf.random.normal((3, 1)))]


def forward(weights, x):
    return tf.tanh(x @ weights[0]) @ weights[1]


def mse(weights, x, y):
    return tf.reduce_mean((forward(weights, x) - y) ** 2)


tasks = [(tf.random.normal((4, 2)), tf.random.normal((4, 1))) for _ in range(2)]
for step in range(2):
    with tf.GradientTape() as meta:
        meta_loss = 0.0
        for x, y in tasks:
            with tf.GradientTape() as inner:
                support = mse(theta, x, y)
            grads = inner.gradient(support, theta)
            adapted = [w - 0.1 * g for w, g in zip(theta, grads)]
            meta_loss += mse(adapted, x, y)
    meta_grads = meta.gradient(meta_loss, theta)
    for w, g in zip(theta, meta_grads):
        w.assign_sub(0.05 * g)
    print(step, float(meta_loss).hex(), [float(tf.norm(g)).hex() for g in meta_grads])
