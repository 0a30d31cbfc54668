import tensorflow as tf


@tf.function
def power(x, n):
    result = tf.constant(1.0)
    i = tf.constant(0)
    while i < n:
        result = result * x
        i += 1
    return result


x = tf.Variable(1.3)
with tf.GradientTape() as tape:
    y = power(x, tf.constant(4))
print(float(y).hex(), float(tape.gradient(y, x)).hex())
