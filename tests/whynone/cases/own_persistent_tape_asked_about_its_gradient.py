import tensorflow as tf

w = tf.Variable([1.0, -2.0, 0.5])
with tf.GradientTape(persistent=True) as tape:
    loss = tf.reduce_sum(w ** 4)

g = tape.gradient(loss, w)
h = tape.gradient(g, w)
del tape
print("gradient", g.numpy())
print("curvature", h)
