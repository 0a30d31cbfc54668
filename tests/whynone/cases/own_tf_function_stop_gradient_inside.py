import tensorflow as tf

alpha = tf.Variable(0.5, name="alpha")
beta = tf.Variable(2.0, name="beta")


def schedule(t):
    return tf.stop_gradient(alpha * t)


@tf.function
def train(t):
    with tf.GradientTape() as tape:
        signal = beta * tf.exp(-schedule(t))
        loss = tf.reduce_sum(signal ** 2)
    g_alpha, g_beta = tape.gradient(loss, [alpha, beta])
    if g_alpha is None:
        return loss, g_beta
    return loss, g_alpha + g_beta


loss, g = train(tf.constant([0.1, 0.5, 1.0]))
print("loss", round(float(loss), 4), "g", round(float(g), 4))
