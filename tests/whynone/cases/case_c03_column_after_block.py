import tensorflow as tf

points = tf.constant([[0.0, 1.0], [1.0, 2.0], [2.0, 0.5]])
mixing = tf.constant([[1.0, -1.0], [0.5, 2.0]])

with tf.GradientTape() as tape:
    tape.watch(points)
    rotated = tf.tanh(points @ mixing)

height = rotated[:, 1]
sensitivity = tape.gradient(height, points)

print("height:", height.numpy().round(3))
print("sensitivity:", sensitivity)
