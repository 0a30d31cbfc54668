import tensorflow as tf

base = tf.Variable([1.0, 2.0, 3.0])
with tf.GradientTape() as tape:
    table = tf.constant(base * 1.1)
    loss = tf.reduce_sum(tf.sqrt(table))
print(tape.gradient(loss, base).numpy().tolist())
