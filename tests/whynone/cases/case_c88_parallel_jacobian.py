import tensorflow as tf

tf.random.set_seed(17)
inputs = tf.random.normal((3, 2))
weight = tf.random.normal((2, 4))

with tf.GradientTape() as tape:
    tape.watch(inputs)
    outputs = tf.tanh(inputs @ weight)

jac = tape.batch_jacobian(outputs, inputs, parallel_iterations=2)
print("jacobian", jac.shape)
