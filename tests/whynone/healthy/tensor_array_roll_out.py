import tensorflow as tf

gain = tf.Variable(0.7)


@tf.function
def roll_out(start, steps):
    track = tf.TensorArray(tf.float32, size=steps)
    state = start
    for i in tf.range(steps):
        state = tf.tanh(gain * state + 0.1)
        track = track.write(i, state)
    return track.stack()


with tf.GradientTape() as tape:
    path = roll_out(tf.constant(0.5), tf.constant(5))
    loss = tf.reduce_mean(path ** 2)
print(path.numpy().tolist(), float(tape.gradient(loss, gain)).hex())
