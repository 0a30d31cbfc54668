import tensorflow as tf

tf.keras.utils.set_random_seed(20)
online, predictor = tf.keras.layers.Dense(3), tf.keras.layers.Dense(3)
a, b = tf.random.normal((4, 5)), tf.random.normal((4, 5))
with tf.GradientTape() as tape:
    p = tf.math.l2_normalize(predictor(online(a)), axis=1)
    z = tf.stop_gradient(tf.math.l2_normalize(online(b), axis=1))
    loss = -tf.reduce_mean(tf.reduce_sum(p * z, axis=1))
grads = tape.gradient(loss, online.trainable_variables + predictor.trainable_variables)
print(float(loss).hex(), [float(tf.norm(g)).hex() for g in grads])
