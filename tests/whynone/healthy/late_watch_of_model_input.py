import tensorflow as tf

tf.keras.utils.set_random_seed(31)
net = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(2, activation="tanh")])
x = tf.random.normal((2, 3))
with tf.GradientTape() as tape:
    y = net(x)
    tape.watch(x)
    score = tf.reduce_sum(y[:, 0])
print(tape.gradient(score, x).numpy().tolist())
