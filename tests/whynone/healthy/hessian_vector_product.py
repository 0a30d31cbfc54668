import tensorflow as tf

w = tf.Variable([0.5, -1.0, 2.0])
v = tf.constant([1.0, 0.0, -1.0])


def objective():
    return tf.reduce_sum(tf.cos(w) * w) + w[0] * w[1] * w[2]


with tf.GradientTape() as outer:
    with tf.GradientTape() as inner:
        value = objective()
    g = inner.gradient(value, w)
    directional = tf.reduce_sum(g * v)
print(outer.gradient(directional, w).numpy().tolist())
