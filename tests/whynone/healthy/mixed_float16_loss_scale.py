import tensorflow as tf

tf.keras.utils.set_random_seed(19)
policy = tf.keras.mixed_precision.Policy("mixed_float16")
dense = tf.keras.layers.Dense(2, dtype=policy)
x = tf.random.normal((4, 3))
dense(x)
optimizer = tf.keras.optimizers.LossScaleOptimizer(tf.keras.optimizers.SGD(0.1))
optimizer.build(dense.trainable_variables)
for step in range(2):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.cast(dense(x), tf.float32) ** 2)
        scaled = optimizer.scale_loss(loss)
    grads = tape.gradient(scaled, dense.trainable_variables)
    optimizer.apply_gradients(zip(grads, dense.trainable_variables))
    print(step, float(loss).hex(), [v.numpy().ravel().tolist() for v in dense.trainable_variables])
