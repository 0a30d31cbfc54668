import tensorflow as tf

x = tf.Variable([0.3, 1.7, -2.2])
with tf.GradientTape(persistent=True) as tape:
    quantities = {
        "square": tf.reduce_sum(x ** 2),
        "rounded": tf.reduce_sum(tf.math.rint(x)),
        "absolute": tf.reduce_sum(tf.abs(x)),
    }
for name, q in quantities.items():
    print(name, tape.gradient(q, x))
