import tensorflow as tf

w = tf.Variable(2.0)


@tf.function
def branchy(x):
    return tf.cond(x > 0.0, lambda: w * x ** 2, lambda: -w * x)


for start in (1.5, -0.5):
    x = tf.constant(start)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = branchy(x)
    print(start, [float(g).hex() for g in tape.gradient(y, [x, w])])
