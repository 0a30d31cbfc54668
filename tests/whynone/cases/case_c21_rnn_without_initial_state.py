import tensorflow as tf

tf.random.set_seed(9)
rnn = tf.keras.layers.SimpleRNN(3, return_sequences=True)
series = tf.random.normal((1, 6, 2))
h0 = tf.Variable(tf.ones((1, 3)), name="h0")
optimizer = tf.keras.optimizers.SGD(0.1)

for step in range(2):
    with tf.GradientTape() as tape:
        states = rnn(series)
        mismatch = tf.reduce_mean((states[:, -1] - 0.3) ** 2)
    update = tape.gradient(mismatch, h0)
    print("step", step, "update", update)
