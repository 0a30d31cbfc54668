import tensorflow as tf

thickness = tf.Variable([0.5, 1.0, 1.5], name="thickness")
load = tf.constant([1.0, 2.0, 1.0])

with tf.GradientTape() as tape:
    profile = tf.constant(thickness, dtype=tf.float32)
    bending = load / profile ** 3
    worst = tf.reduce_max(bending)
print("worst", float(worst), "gradient", tape.gradient(worst, thickness))
