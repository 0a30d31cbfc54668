import tensorflow as tf
from tensorflow.keras import layers


def build():
    return tf.keras.Sequential([
        tf.keras.Input((3,)), layers.Dense(5, activation="relu"), layers.Dense(2)])


tf.keras.utils.set_random_seed(22)
online, target = build(), build()
target.set_weights(online.get_weights())
target.trainable = False
opt = tf.keras.optimizers.Adam(0.01)
s, s2 = tf.random.normal((6, 3)), tf.random.normal((6, 3))
actions = tf.constant([0, 1, 1, 0, 1, 0])
rewards = tf.random.normal((6,))
for step in range(4):
    best = tf.reduce_max(target(s2), axis=1)
    with tf.GradientTape() as tape:
        q = tf.gather(online(s), actions, batch_dims=1)
        loss = tf.reduce_mean((rewards + 0.9 * best - q) ** 2)
    grads = tape.gradient(loss, online.trainable_variables)
    opt.apply_gradients(zip(grads, online.trainable_variables))
    if step % 2:
        target.set_weights(online.get_weights())
    print(step, float(loss).hex(), float(tf.linalg.global_norm(grads)).hex())
