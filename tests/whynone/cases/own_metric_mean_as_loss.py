import tensorflow as tf

gain = tf.Variable(1.5)
running = tf.keras.metrics.Mean()
batches = [tf.constant([1.0, 2.0]), tf.constant([0.5, 1.5])]

with tf.GradientTape() as tape:
    for batch in batches:
        error = tf.reduce_mean((gain * batch - 1.0) ** 2)
        running.update_state(error)
    loss = running.result()

print("loss", round(float(loss), 4))
print("gradient", tape.gradient(loss, gain))
