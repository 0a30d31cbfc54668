import tensorflow as tf

x = tf.Variable([0.5, 1.5])
with tf.GradientTape() as tape:
    y = tf.py_function(lambda v: tf.sin(v) * v, [x], tf.float32)
    loss = tf.reduce_sum(y)
print(tape.gradient(loss, x).numpy().tolist())
