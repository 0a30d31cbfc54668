import tensorflow as tf

x = tf.Variable([1.0, 2.0, 3.0])
with tf.GradientTape(persistent=True) as tape:
    y = x ** 3
    z = tf.sin(x)
print(tape.gradient(y, x, output_gradients=tf.constant([1.0, 0.0, 0.0])).numpy().tolist())
print(tape.gradient([y, z], x).numpy().tolist())
