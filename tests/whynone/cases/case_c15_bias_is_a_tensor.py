import tensorflow as tf

weights = tf.Variable([[0.5], [-0.25]])
bias = tf.zeros([1])
data = tf.constant([[1.0, 2.0], [3.0, 1.0], [0.0, -1.0]])
target = tf.constant([[1.0], [0.0], [2.0]])
rate = 0.1


def linear(x):
    return x @ weights + bias


for step in range(3):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((linear(data) - target) ** 2)
    parameters = [weights, bias]
    grads = tape.gradient(loss, parameters)
    for p, g in zip(parameters, grads):
        p.assign_sub(rate * g)
    print("step", step, "loss", float(loss))
