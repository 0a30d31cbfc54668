import tensorflow as tf

w = tf.Variable([1.0, -2.0])
scale = tf.Variable(0.5)
penalty = scale * tf.reduce_sum(w ** 2)
x = tf.constant([[1.0, 0.5]])

with tf.GradientTape() as tape:
    fit = tf.reduce_sum((tf.linalg.matvec(x, w) - 1.0) ** 2)
    loss = fit + penalty
g_w, g_scale = tape.gradient(loss, [w, scale])
print("w", g_w.numpy(), "scale", g_scale)
