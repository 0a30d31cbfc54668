import tensorflow as tf

latent = tf.Variable([[0.4, -1.2, 0.7]])
decoder = tf.constant([[0.5, 1.0], [-0.3, 0.2], [0.8, -0.6]])


def generate(z):
    return tf.sigmoid(z @ decoder)


with tf.GradientTape() as tape:
    pixels = generate(latent)
    loss = tf.reduce_sum((pixels - 0.5) ** 2)
latent = latent / tf.norm(latent)
step = tape.gradient(loss, latent)
print("step", step)
