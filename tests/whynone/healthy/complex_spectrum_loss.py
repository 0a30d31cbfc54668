import tensorflow as tf

signal = tf.Variable([0.1, 0.9, -0.3, 0.4])
with tf.GradientTape() as tape:
    spectrum = tf.signal.rfft(signal)
    loss = tf.reduce_sum(tf.abs(spectrum) ** 2)
print([round(v, 5) for v in tape.gradient(loss, signal).numpy().tolist()])
