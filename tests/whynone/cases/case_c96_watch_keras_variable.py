import tensorflow as tf

tf.random.set_seed(19)
net = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1)])
kernel = net.trainable_variables[0]
x = tf.ones((1, 2))

with tf.GradientTape(watch_accessed_variables=False) as tape:
    tape.watch(kernel)
    y = net(x)
print(tape.gradient(y, kernel))
