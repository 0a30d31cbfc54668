import tensorflow as tf

a, b = tf.Variable(1.5), tf.Variable(-0.5)
x = tf.constant([1.0, 2.0])
with tf.GradientTape(watch_accessed_variables=False) as tape:
    tape.watch([a, x])
    loss = tf.reduce_sum((a * x + b) ** 2)
g_a, g_x = tape.gradient(loss, [a, x])
print(float(g_a).hex(), g_x.numpy().tolist())
