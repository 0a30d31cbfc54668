import tensorflow as tf

a = tf.Variable(0.5)
b = tf.Variable(1.5)
grid = tf.constant([0.0, 0.5, 1.0])
with tf.GradientTape() as tape:
    roots = tf.constant([float(a + b), float(a - b)], dtype=tf.float32)
    curve = (grid - roots[0]) * (grid - roots[1])
    area = tf.reduce_sum(curve ** 2)
for name, g in zip("ab", tape.gradient(area, [a, b])):
    print(name, g)
