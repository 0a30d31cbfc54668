import tensorflow as tf

tf.random.set_seed(1)
net = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1)])
x = tf.random.normal((4, 2))
log = []

for step in range(2):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((net(x) - 1.0) ** 2)
    loss = loss.numpy()
    log.append(loss)
    grads = tape.gradient(loss, net.trainable_variables)
    for v, g in zip(net.trainable_variables, grads):
        v.assign_sub(0.1 * g)
print(len(log), "steps")
