import tensorflow as tf
from tensorflow.keras import layers

tf.keras.utils.set_random_seed(9)
critic = tf.keras.Sequential([
    tf.keras.Input((3,)), layers.Dense(5, activation="tanh"), layers.Dense(1)])
real, fake = tf.random.normal((4, 3)), tf.random.normal((4, 3))
with tf.GradientTape() as outer:
    mix = real + tf.random.stateless_uniform((4, 1), seed=(1, 1)) * (fake - real)
    with tf.GradientTape() as inner:
        inner.watch(mix)
        score = critic(mix)
    slope = inner.gradient(score, mix)
    penalty = tf.reduce_mean((tf.norm(slope, axis=1) - 1.0) ** 2)
    loss = tf.reduce_mean(critic(fake)) - tf.reduce_mean(critic(real)) + 10.0 * penalty
    loss += 1e-3 * tf.reduce_mean(critic(real) ** 2)
grads = outer.gradient(loss, critic.trainable_variables)
print(float(loss).hex(), [float(tf.reduce_sum(g)).hex() for g in grads])
