import tensorflow as tf

tf.keras.utils.set_random_seed(25)
features = tf.random.normal((12, 4))
labels = tf.reduce_sum(features, axis=1, keepdims=True)
pipeline = (
    tf.data.Dataset.from_tensor_slices((features, labels))
    .map(lambda x, y: (tf.clip_by_value(x, -2.0, 2.0), tf.round(y * 10.0) / 10.0))
    .shuffle(12, seed=3, reshuffle_each_iteration=False)
    .batch(4)
    .prefetch(1)
)
net = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(1)])
opt = tf.keras.optimizers.SGD(0.05)
for x, y in pipeline:
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((net(x) - y) ** 2)
    grads = tape.gradient(loss, net.trainable_variables)
    opt.apply_gradients(zip(grads, net.trainable_variables))
    print(float(loss).hex(), [float(tf.norm(g)).hex() for g in grads])
