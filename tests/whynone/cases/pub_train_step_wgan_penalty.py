import numpy as np
import tensorflow as tf
from tensorflow import keras

keras.utils.set_random_seed(77)


class WGAN(keras.Model):
    def __init__(self, critic, generator, latent=2):
        super().__init__()
        self.critic, self.generator, self.latent = critic, generator, latent

    def compile(self, c_opt, g_opt):
        super().compile()
        self.c_opt, self.g_opt = c_opt, g_opt

    def gradient_penalty(self, real, fake):
        mix = 0.5 * real + 0.5 * fake
        with tf.GradientTape() as tape:
            score = self.critic(mix, training=True)
        grads = tape.gradient(score, [mix])[0]
        return tf.reduce_mean((tf.norm(grads, axis=1) - 1.0) ** 2)

    def train_step(self, real):
        noise = tf.random.normal((tf.shape(real)[0], self.latent))
        fake = self.generator(noise)
        with tf.GradientTape() as tape:
            cost = tf.reduce_mean(self.critic(fake) - self.critic(real))
            cost += 10.0 * self.gradient_penalty(real, fake)
        grads = tape.gradient(cost, self.critic.trainable_variables)
        self.c_opt.apply_gradients(zip(grads, self.critic.trainable_variables))
        return {"cost": cost}


critic = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])
generator = keras.Sequential([keras.Input((2,)), keras.layers.Dense(3)])
gan = WGAN(critic, generator)
gan.compile(keras.optimizers.Adam(), keras.optimizers.Adam())
gan.fit(np.random.rand(8, 3).astype("float32"), batch_size=4, verbose=0)
