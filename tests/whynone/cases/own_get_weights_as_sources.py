import tensorflow as tf

tf.random.set_seed(3)
net = tf.keras.Sequential([
    tf.keras.Input((3,)), tf.keras.layers.Dense(2, activation="tanh"), tf.keras.layers.Dense(1)])
x = tf.random.normal((4, 3))
with tf.GradientTape() as tape:
    loss = tf.reduce_mean(net(x) ** 2)
weights = net.get_weights()
grads = tape.gradient(loss, weights)
print(len(grads))
