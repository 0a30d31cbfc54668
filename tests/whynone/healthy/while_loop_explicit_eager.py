import tensorflow as tf

a = tf.Variable(0.8)
with tf.GradientTape() as tape:
    _, final = tf.while_loop(
        lambda i, s: i < 3, lambda i, s: (i + 1, tf.sin(s) + a), [tf.constant(0), tf.constant(0.1)])
print(float(final).hex(), float(tape.gradient(final, a)).hex())
