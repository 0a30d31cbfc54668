import tensorflow as tf

x = tf.Variable([0.5, 0.0, 2.0])
with tf.GradientTape() as tape:
    positive = x > 0.0
    safe = tf.where(positive, x, tf.ones_like(x))
    loss = tf.reduce_sum(tf.where(positive, tf.math.log(safe), 0.0))
print(tape.gradient(loss, x).numpy().tolist())
