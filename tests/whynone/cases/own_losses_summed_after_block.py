import tensorflow as tf

tf.random.set_seed(25)
net = tf.keras.Sequential([
    tf.keras.Input((3,)),
    tf.keras.layers.Dense(4, activation="relu", kernel_regularizer="l2"),
    tf.keras.layers.Dense(1),
])
x = tf.random.normal((5, 3))
y = tf.zeros((5, 1))

with tf.GradientTape() as tape:
    data_loss = tf.reduce_mean((net(x) - y) ** 2)
    penalty = tf.add_n(net.losses)
total = tf.add_n([data_loss, penalty])
grads = tape.gradient(total, net.trainable_variables)
tf.keras.optimizers.SGD(0.1).apply_gradients(zip(grads, net.trainable_variables))
