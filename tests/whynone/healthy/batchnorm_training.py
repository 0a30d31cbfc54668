import tensorflow as tf

tf.keras.utils.set_random_seed(33)
net = tf.keras.Sequential([
    tf.keras.Input((3,)),
    tf.keras.layers.Dense(4, use_bias=False),
    tf.keras.layers.BatchNormalization(),
    tf.keras.layers.Dense(1),
])
x = tf.random.normal((6, 3))
for step in range(2):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((net(x, training=True) - 1.0) ** 2)
    grads = tape.gradient(loss, net.trainable_variables)
    for v, g in zip(net.trainable_variables, grads):
        v.assign_sub(0.05 * g)
    print(step, float(loss).hex(), net.layers[1].moving_mean.numpy().tolist())
