import tensorflow as tf

x = tf.Variable(1e-4)
scale = 1.0

with tf.GradientTape() as tape:
    half = tf.cast(x, tf.float16)
    energy = half * half * tf.constant(1e-4, tf.float16)
    loss = tf.cast(energy, tf.float32) * scale

slope = tape.gradient(loss, x) / scale
print("slope", float(slope))
