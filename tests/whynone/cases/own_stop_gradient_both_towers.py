import tensorflow as tf

tf.random.set_seed(12)
left = tf.keras.layers.Dense(2, name="left")
right = tf.keras.layers.Dense(2, name="right")
x = tf.random.normal((3, 4))

with tf.GradientTape() as tape:
    p = tf.stop_gradient(left(x))
    q = tf.stop_gradient(right(x))
    distance = tf.reduce_mean((p - q) ** 2)
grads = tape.gradient(distance, [left.kernel, right.kernel])
print(grads)
