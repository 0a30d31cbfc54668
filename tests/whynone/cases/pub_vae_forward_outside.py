import tensorflow as tf
from tensorflow import keras

keras.utils.set_random_seed(43)


class VAE(keras.Model):
    def __init__(self, latent=2):
        super().__init__()
        self.encoder = keras.layers.Dense(2 * latent)
        self.decoder = keras.layers.Dense(6, activation="sigmoid")

    def call(self, x):
        mu, log_var = tf.split(self.encoder(x), 2, axis=-1)
        z = mu + tf.exp(0.5 * log_var) * tf.random.normal(tf.shape(mu))
        return self.decoder(z), mu, log_var


def total_loss(data, reconstruction, mu, log_var, alpha=1.0):
    rec = tf.reduce_mean(tf.reduce_sum((data - reconstruction) ** 2, axis=-1))
    kl = -0.5 * tf.reduce_mean(tf.reduce_sum(1 + log_var - mu ** 2 - tf.exp(log_var), axis=-1))
    return alpha * rec + kl


model = VAE()
optimizer = keras.optimizers.Adam(1e-3)
X = tf.random.uniform((4, 6))
for epoch in range(1):
    X_recon, mu, log_var = model(X)
    with tf.GradientTape() as tape:
        loss = total_loss(X, X_recon, mu, log_var)
    grads = tape.gradient(loss, model.trainable_weights)
    optimizer.apply_gradients(zip(grads, model.trainable_weights))
