import tensorflow as tf

gain = tf.Variable(1.0)
signal = tf.constant([1.0, -2.0, 0.5])
target = tf.constant([1.0, -2.0, 0.5])


def relative_error(prediction, truth):
    gap = prediction - truth
    return tf.norm(gap) / tf.norm(truth)


with tf.GradientTape() as tape:
    error = relative_error(gain * signal, target)
print("error", float(error), "gradient", float(tape.gradient(error, gain)))
