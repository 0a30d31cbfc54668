import tensorflow as tf

w = tf.Variable([1.0, -2.0, 0.5])
peaks = []
with tf.GradientTape() as tape:
    h = tf.tanh(w)
    with tape.stop_recording():
        peaks.append(float(tf.reduce_max(tf.abs(h))))
    loss = tf.reduce_sum(h ** 2)
print([p.hex() for p in peaks], tape.gradient(loss, w).numpy().tolist())
