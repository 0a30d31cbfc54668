import tensorflow as tf

tf.random.set_seed(13)
net = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(2)])
x = tf.random.normal((4, 3))
y = tf.one_hot([0, 1, 1, 0], 2)
y_pred = tf.one_hot([1, 1, 0, 0], 2)

with tf.GradientTape() as tape:
    logits = net(x)
    loss = tf.reduce_mean((y - y_pred) ** 2)
grads = tape.gradient(loss, net.trainable_variables)
print([g is None for g in grads], float(loss))
