import tensorflow as tf

w = tf.Variable([[0.5], [-1.0]])
x = tf.constant([[1.0, 2.0], [0.5, -0.5], [3.0, 1.0]])
with tf.GradientTape() as tape:
    losses = tf.reduce_sum(tf.tanh(x @ w) ** 2, axis=1)
print(tape.jacobian(losses, w).numpy().reshape(3, 2).tolist())
