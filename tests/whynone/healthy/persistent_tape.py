import tensorflow as tf

x = tf.constant([1.0, 2.0, 3.0])
with tf.GradientTape(persistent=True) as tape:
    tape.watch(x)
    y = x * x
    z = tf.reduce_sum(y * y)
print(tape.gradient(z, x).numpy().tolist())
print(tape.gradient(y, x).numpy().tolist())
print(tape.gradient(z, y).numpy().tolist())
del tape
