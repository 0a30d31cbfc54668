import tensorflow as tf

angle = tf.Variable(0.3, name="angle")
corners = tf.constant([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])

with tf.GradientTape() as tape:
    row_x = tf.stack([tf.cos(angle), -tf.sin(angle)])
    row_y = tf.stack([tf.sin(angle), tf.cos(angle)])
    rotation = tf.Variable(tf.stack([row_x, row_y]))
    turned = corners @ rotation
    height = tf.reduce_max(turned[:, 1])

print("height", round(float(height), 4))
print("d height / d angle", tape.gradient(height, angle))
