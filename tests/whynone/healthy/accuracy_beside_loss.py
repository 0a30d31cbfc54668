import tensorflow as tf

tf.keras.utils.set_random_seed(24)
net = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(3)])
metric = tf.keras.metrics.SparseCategoricalAccuracy()
mean_loss = tf.keras.metrics.Mean()
x, y = tf.random.normal((6, 3)), tf.constant([0, 1, 2, 0, 1, 2])
for step in range(3):
    with tf.GradientTape() as tape:
        logits = net(x)
        predicted = tf.argmax(logits, axis=1)
        hits = tf.reduce_sum(tf.cast(tf.equal(predicted, tf.cast(y, tf.int64)), tf.int32))
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(y, logits))
        metric.update_state(y, logits)
        mean_loss.update_state(loss)
    grads = tape.gradient(loss, net.trainable_variables)
    for v, g in zip(net.trainable_variables, grads):
        v.assign_sub(0.3 * g)
    print(step, int(hits), float(metric.result()), float(mean_loss.result()).hex())
