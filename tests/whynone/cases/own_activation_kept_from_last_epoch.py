import tensorflow as tf


class Net(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.body = tf.keras.layers.Dense(3, activation="relu", bias_initializer="ones")
        self.head = tf.keras.layers.Dense(1)
        self.last_activation = None

    def call(self, x):
        h = self.body(x)
        if self.last_activation is None:
            self.last_activation = h
        return self.head(h)


tf.random.set_seed(10)
net = Net()
batch = tf.random.normal((2, 4))
print("output shape", net(batch).shape)
net.last_activation = None
for epoch in range(2):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(net(batch) ** 2)
    g = tape.gradient(loss, net.last_activation)
    print("epoch", epoch, None if g is None else g.shape)
