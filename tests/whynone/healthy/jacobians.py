import tensorflow as tf

tf.random.set_seed(17)
W = tf.Variable(tf.random.normal((3, 2)))
x = tf.random.normal((4, 3))
with tf.GradientTape(persistent=True) as tape:
    tape.watch(x)
    y = tf.tanh(x @ W)
    per_example = tf.reduce_sum(y, axis=1)
print(tape.jacobian(per_example, W).numpy().ravel().tolist())
print(tape.batch_jacobian(y, x).numpy().ravel().tolist())
print(tape.jacobian(y, W, experimental_use_pfor=False).shape)
