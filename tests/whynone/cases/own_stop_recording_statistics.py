import tensorflow as tf

sigma = tf.Variable([0.5, 1.5, 2.0])


def normaliser(tape, values):
    with tape.stop_recording():
        total = tf.reduce_sum(tf.exp(values))
        return tf.math.log(total)


with tf.GradientTape() as tape:
    log_z = normaliser(tape, sigma)
    loss = 2.0 * log_z + 1.0

grad = tape.gradient(loss, sigma)
print("loss", round(float(loss), 4), "grad", grad)
