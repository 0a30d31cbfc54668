import tensorflow as tf

tf.random.set_seed(24)
net = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(3, activation="tanh")])
where = tf.random.normal((2, 2))

with tf.GradientTape() as tape:
    out = net(where)
jac = tape.batch_jacobian(out, where)
print("any entry:", bool(tf.reduce_any(jac != 0)))
