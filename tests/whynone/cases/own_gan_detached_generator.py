import tensorflow as tf
from tensorflow.keras import layers

tf.random.set_seed(19)
generator = tf.keras.Sequential([tf.keras.Input((2,)), layers.Dense(4, activation="tanh")])
discriminator = tf.keras.Sequential([tf.keras.Input((4,)), layers.Dense(1)])
bce = tf.keras.losses.BinaryCrossentropy(from_logits=True)
real = tf.random.normal((3, 4))
noise = tf.random.normal((3, 2))

with tf.GradientTape() as g_tape, tf.GradientTape() as d_tape:
    fake = generator(noise, training=True).numpy()
    d_real = discriminator(real, training=True)
    d_fake = discriminator(fake, training=True)
    g_loss = bce(tf.ones_like(d_fake), d_fake)
    d_loss = bce(tf.ones_like(d_real), d_real) + bce(tf.zeros_like(d_fake), d_fake)

d_grads = d_tape.gradient(d_loss, discriminator.trainable_variables)
g_grads = g_tape.gradient(g_loss, generator.trainable_variables)
print("discriminator", [g is not None for g in d_grads])
print("generator", [g is not None for g in g_grads])
