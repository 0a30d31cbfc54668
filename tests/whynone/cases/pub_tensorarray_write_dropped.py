import tensorflow as tf

cell = tf.Variable([[0.3, -0.2], [0.1, 0.4]], name="recurrent")


@tf.function
def unroll(sequence):
    steps = tf.shape(sequence)[0]
    outputs = tf.TensorArray(tf.float32, size=steps, element_shape=(1, 2))
    state = tf.zeros((1, 2))
    for t in tf.range(steps):
        state = tf.tanh(state @ cell + sequence[t])
        outputs.write(t, state)
    return outputs.stack()


sequence = tf.random.stateless_normal((4, 1, 2), (3, 3))
with tf.GradientTape() as tape:
    total = tf.reduce_sum(unroll(sequence))
print("gradient", tape.gradient(total, cell))
