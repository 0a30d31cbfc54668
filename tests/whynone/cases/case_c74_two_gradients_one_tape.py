import tensorflow as tf

tf.random.set_seed(13)
net = tf.keras.Sequential([
    tf.keras.Input((3,)),
    tf.keras.layers.Dense(4, activation="tanh"),
    tf.keras.layers.Dense(1),
])
sample = tf.random.normal((2, 3))

with tf.GradientTape() as tape:
    tape.watch(sample)
    hidden = net.layers[0](sample)
    value = net.layers[1](hidden)

d_hidden = tape.gradient(value, hidden)
print("hidden", d_hidden.shape)
d_sample = tape.gradient(value, sample)
print("sample", d_sample.shape)
