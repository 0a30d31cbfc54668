import tensorflow as tf

counts = tf.Variable([[3.0, 1.0], [0.0, 0.0]])
weights = tf.constant([[1.0], [2.0]])
with tf.GradientTape() as tape:
    share = counts / tf.reduce_sum(counts, axis=1, keepdims=True)
    value = tf.reduce_sum(tf.square(share @ weights))
gradient = tape.gradient(value, counts)
print("nan rows:", tf.reduce_any(tf.math.is_nan(gradient), axis=1).numpy().tolist())
