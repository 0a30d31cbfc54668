import tensorflow as tf

tf.random.set_seed(4)
net = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(2)])
spectrum = tf.random.normal((1, 4))

with tf.GradientTape() as tape:
    tape.watch(tf.identity(spectrum))
    windowed = spectrum * tf.constant([0.5, 1.0, 1.0, 0.5])
    score = net(windowed)[0, 0]
print("gradient", tape.gradient(score, spectrum))
