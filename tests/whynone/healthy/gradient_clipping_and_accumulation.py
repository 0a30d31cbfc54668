import tensorflow as tf

tf.keras.utils.set_random_seed(37)
net = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(2)])
opt = tf.keras.optimizers.Adam(0.01)
batches = tf.split(tf.random.normal((8, 3)), 4)
totals = [tf.Variable(tf.zeros(v.shape), trainable=False) for v in net.trainable_variables]
for x in batches:
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(net(x) ** 2) / len(batches)
    for total, g in zip(totals, tape.gradient(loss, net.trainable_variables)):
        total.assign_add(g)
clipped, norm = tf.clip_by_global_norm([t.read_value() for t in totals], 0.1)
opt.apply_gradients(zip(clipped, net.trainable_variables))
print(float(norm).hex(), [v.numpy().ravel().tolist() for v in net.trainable_variables])
