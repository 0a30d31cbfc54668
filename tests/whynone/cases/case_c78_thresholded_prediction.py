import tensorflow as tf

tf.random.set_seed(15)
detector = tf.keras.Sequential([
    tf.keras.Input((3,)),
    tf.keras.layers.Dense(1, activation="sigmoid"),
])
x = tf.random.normal((8, 3))
y = tf.constant([[1.0], [0.0]] * 4)


def error_rate(truth, probability):
    decision = tf.cast(probability > 0.5, tf.float32)
    return tf.reduce_mean(tf.abs(truth - decision))


with tf.GradientTape() as tape:
    loss = error_rate(y, detector(x, training=True))
grads = tape.gradient(loss, detector.trainable_variables)
tf.keras.optimizers.Adam(0.01).apply_gradients(zip(grads, detector.trainable_variables))
