import tensorflow as tf

tf.keras.utils.set_random_seed(30)
net = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(2)])
x = tf.random.uniform((2, 4), maxval=255.0)
with tf.GradientTape() as tape:
    tape.watch(x)
    x = x / 255.0
    y = net(x)
print(tape.gradient(y, x).numpy().tolist())
