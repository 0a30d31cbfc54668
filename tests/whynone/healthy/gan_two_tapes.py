import tensorflow as tf
from tensorflow.keras import layers

tf.keras.utils.set_random_seed(6)
generator = tf.keras.Sequential([
    tf.keras.Input((2,)), layers.Dense(4), layers.LeakyReLU(), layers.Dense(3)])
discriminator = tf.keras.Sequential([
    tf.keras.Input((3,)), layers.Dense(4), layers.LeakyReLU(), layers.Dense(1)])
bce = tf.keras.losses.BinaryCrossentropy(from_logits=True)
g_opt, d_opt = tf.keras.optimizers.Adam(0.01), tf.keras.optimizers.Adam(0.01)


@tf.function
def train_step(real):
    noise = tf.random.stateless_normal((4, 2), seed=(1, 2))
    with tf.GradientTape() as g_tape, tf.GradientTape() as d_tape:
        fake = generator(noise, training=True)
        real_score = discriminator(real, training=True)
        fake_score = discriminator(fake, training=True)
        g_loss = bce(tf.ones_like(fake_score), fake_score)
        d_loss = bce(tf.ones_like(real_score), real_score)
        d_loss += bce(tf.zeros_like(fake_score), fake_score)
    g_grads = g_tape.gradient(g_loss, generator.trainable_variables)
    d_grads = d_tape.gradient(d_loss, discriminator.trainable_variables)
    g_opt.apply_gradients(zip(g_grads, generator.trainable_variables))
    d_opt.apply_gradients(zip(d_grads, discriminator.trainable_variables))
    return g_loss, d_loss


real = tf.random.normal((4, 3))
for step in range(3):
    print(step, [float(v).hex() for v in train_step(real)])
