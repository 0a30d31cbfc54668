import tensorflow as tf

scale = tf.Variable(2.0, trainable=False, name="scale")
shift = tf.Variable(0.5, name="shift")
x = tf.constant([1.0, 2.0, 3.0])

with tf.GradientTape() as tape:
    y = scale * x + shift
    loss = tf.reduce_mean(y ** 2)

print("scale", tape.gradient(loss, [scale, shift])[0])
