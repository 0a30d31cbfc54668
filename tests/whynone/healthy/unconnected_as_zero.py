import tensorflow as tf

used = tf.Variable([1.0, 2.0])
spare = tf.Variable([[3.0]])
with tf.GradientTape() as tape:
    loss = tf.reduce_sum(used ** 2)
grads = tape.gradient(loss, [used, spare], unconnected_gradients=tf.UnconnectedGradients.ZERO)
print([g.numpy().tolist() for g in grads])
