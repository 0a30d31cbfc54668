import tensorflow as tf


class Dense(tf.Module):
    def __init__(self, n_in, n_out, name=None):
        super().__init__(name=name)
        self.w = tf.Variable(tf.random.stateless_normal([n_in, n_out], (1, 2)), name="w")
        self.b = tf.Variable(tf.ones([n_out]), name="b")

    def __call__(self, x):
        return tf.nn.relu(tf.matmul(x, self.w) + self.b)


layer = Dense(2, 4)
output = layer([[7.0, 3.0]])


def loss_fn():
    wanted = tf.ones([1, 4])
    return tf.reduce_mean(tf.square(wanted - output))


optimizer = tf.compat.v1.train.AdamOptimizer(0.4)
for i in range(3):
    optimizer.minimize(loss_fn, var_list=layer.trainable_variables)
