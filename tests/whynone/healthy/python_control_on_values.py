import tensorflow as tf

w = tf.Variable([0.4, -0.6, 1.2])
with tf.GradientTape() as tape:
    total = tf.constant(0.0)
    for value in tf.unstack(w):
        if value > 0:
            total += value ** 2
        else:
            total -= 3.0 * value
    largest = max(tf.unstack(w), key=float)
    loss = total + sum([largest, largest])
print(float(loss).hex(), tape.gradient(loss, w).numpy().tolist())
