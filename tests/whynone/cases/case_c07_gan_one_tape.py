import tensorflow as tf
from tensorflow.keras import layers

tf.random.set_seed(3)
generator = tf.keras.Sequential([tf.keras.Input((2,)), layers.Dense(3)])
critic = tf.keras.Sequential([tf.keras.Input((3,)), layers.Dense(1)])
bce = tf.keras.losses.BinaryCrossentropy(from_logits=True)
g_opt = tf.keras.optimizers.SGD(0.1)
c_opt = tf.keras.optimizers.SGD(0.1)


def train_batch(real, noise):
    fake = generator(noise, training=True)
    score_real = critic(real, training=True)
    score_fake = critic(fake, training=True)
    with tf.GradientTape() as tape:
        g_loss = bce(tf.ones_like(score_fake), score_fake)
        c_loss = bce(tf.ones_like(score_real), score_real)
        c_loss += bce(tf.zeros_like(score_fake), score_fake)
    g_grads = tape.gradient(g_loss, generator.trainable_variables)
    c_grads = tape.gradient(c_loss, critic.trainable_variables)
    g_opt.apply_gradients(zip(g_grads, generator.trainable_variables))
    c_opt.apply_gradients(zip(c_grads, critic.trainable_variables))


train_batch(tf.random.normal((4, 3)), tf.random.normal((4, 2)))
print("one batch done")
