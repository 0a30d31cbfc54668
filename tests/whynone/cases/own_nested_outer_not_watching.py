import tensorflow as tf

points = tf.constant([0.0, 0.5, 1.0])


def laplacian(u, x):
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            inner.watch(x)
            value = u(x)
        first = inner.gradient(value, x)
    return first, outer.gradient(first, x)


slope, bend = laplacian(lambda x: tf.sin(3.0 * x), points)
print("slope", slope.numpy().round(3))
print("bend", bend)
