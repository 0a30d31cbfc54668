import tensorflow as tf

left = tf.Variable([[0.5, 1.0], [2.0, -1.0]])
right = tf.constant([[0.5, 1.0], [0.0, 0.0]])


def distances(a, b):
    squared = tf.reduce_sum((a - b) ** 2, axis=1)
    return tf.sqrt(squared)


with tf.GradientTape() as tape:
    loss = tf.reduce_mean(distances(left, right))
print("loss", round(float(loss), 4))
print("has nan:", bool(tf.reduce_any(tf.math.is_nan(tape.gradient(loss, left)))))
