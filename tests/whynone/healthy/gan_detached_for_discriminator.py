import tensorflow as tf

tf.keras.utils.set_random_seed(7)
generator = tf.keras.layers.Dense(3)
discriminator = tf.keras.layers.Dense(1)
noise, real = tf.random.normal((4, 2)), tf.random.normal((4, 3))

fake_for_d = generator(noise).numpy()
with tf.GradientTape() as d_tape:
    d_loss = tf.reduce_mean(tf.nn.softplus(-discriminator(real)))
    d_loss += tf.reduce_mean(tf.nn.softplus(discriminator(fake_for_d)))
d_grads = d_tape.gradient(d_loss, discriminator.trainable_variables)

with tf.GradientTape() as g_tape:
    g_loss = tf.reduce_mean(tf.nn.softplus(-discriminator(generator(noise))))
g_grads = g_tape.gradient(g_loss, generator.trainable_variables)
print(float(d_loss).hex(), [g.numpy().ravel().tolist() for g in d_grads])
print(float(g_loss).hex(), [g.numpy().ravel().tolist() for g in g_grads])
