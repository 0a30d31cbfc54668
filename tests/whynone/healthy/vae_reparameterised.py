import tensorflow as tf
from tensorflow.keras import layers

tf.keras.utils.set_random_seed(8)
encoder = tf.keras.Sequential([tf.keras.Input((6,)), layers.Dense(5, "tanh"), layers.Dense(4)])
decoder = tf.keras.Sequential([tf.keras.Input((2,)), layers.Dense(5, "tanh"), layers.Dense(6)])
x = tf.random.normal((8, 6))
opt = tf.keras.optimizers.Adam(0.01)
variables = encoder.trainable_variables + decoder.trainable_variables
for step in range(3):
    with tf.GradientTape() as tape:
        mean, logvar = tf.split(encoder(x), 2, axis=1)
        noise = tf.random.stateless_normal((8, 2), seed=(step, 0))
        z = mean + noise * tf.exp(0.5 * logvar)
        reconstruction = tf.reduce_mean(tf.reduce_sum((decoder(z) - x) ** 2, axis=1))
        kl = -0.5 * tf.reduce_mean(tf.reduce_sum(1 + logvar - mean ** 2 - tf.exp(logvar), axis=1))
        loss = reconstruction + kl
    grads = tape.gradient(loss, variables)
    opt.apply_gradients(zip(grads, variables))
    print(step, float(loss).hex(), float(tf.linalg.global_norm(grads)).hex())
