import tensorflow as tf

tf.keras.utils.set_random_seed(17)
gen = tf.keras.layers.Dense(3)
disc = tf.keras.layers.Dense(1)
bce = tf.keras.losses.BinaryCrossentropy(from_logits=True)


def train_step(real):
    noise = tf.random.normal((4, 2))
    with tf.GradientTape() as gen_tape:
        fake = gen(noise)
        fake_out = disc(fake)
        gen_loss = bce(tf.ones_like(fake_out), fake_out)
    with tf.GradientTape() as disc_tape:
        real_out = disc(real)
        disc_loss = bce(tf.ones_like(real_out), real_out)
        disc_loss += bce(tf.zeros_like(fake_out), fake_out)
    g = gen_tape.gradient(disc_loss, disc.trainable_variables)
    return g


disc(gen(tf.zeros((1, 2))))
print(train_step(tf.random.normal((4, 3))))
