import tensorflow as tf

weight = tf.Variable(3)
inputs = tf.constant([1, 2, 4])

with tf.GradientTape() as tape:
    outputs = weight * inputs
    total = tf.reduce_sum(outputs ** 2)

print("total", total.numpy())
print("gradient", tape.gradient(total, weight))
