import tensorflow as tf

x = tf.constant([[1.5]])


@tf.function
def third(x):
    with tf.GradientTape() as a:
        a.watch(x)
        with tf.GradientTape() as b:
            b.watch(x)
            with tf.GradientTape() as c:
                c.watch(x)
                y = x
                for _ in tf.range(3):
                    y = tf.matmul(y, x)
            first = c.gradient(y, x)
        second = b.gradient(first, x)
    return first, second, a.gradient(second, x)


print([v.numpy().ravel().tolist() for v in third(x)])
