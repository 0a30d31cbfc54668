import tensorflow as tf

weights = tf.Variable([[0.4], [-0.3]])
bias = tf.Variable([-9.0])
x = tf.constant([[1.0, 0.5], [0.2, -0.8], [0.9, 0.1]])

with tf.GradientTape() as tape:
    activation = tf.nn.relu(x @ weights + bias)
    loss = tf.reduce_mean((activation - 1.0) ** 2)

grads = tape.gradient(loss, [weights, bias])
print("weights", grads[0].numpy().ravel(), "bias", grads[1].numpy())
