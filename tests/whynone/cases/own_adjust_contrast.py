import tensorflow as tf

tf.random.set_seed(20)
picture = tf.Variable(tf.random.uniform((1, 4, 4, 3)))
conv = tf.keras.layers.Conv2D(1, 3)


def augment(image):
    brighter = tf.image.adjust_brightness(image, 0.1)
    return tf.image.adjust_contrast(brighter, 1.5)


with tf.GradientTape() as tape:
    response = tf.reduce_sum(conv(augment(picture)))
grad = tape.gradient(response, picture)
print("grad", grad.shape)
