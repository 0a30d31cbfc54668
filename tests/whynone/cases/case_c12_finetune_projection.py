import tensorflow as tf
from tensorflow.keras import layers

tf.random.set_seed(11)


class ContrastiveNet(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.encoder = layers.Dense(4, activation="relu", bias_initializer="ones")
        self.projection = layers.Dense(3, name="projection")
        self.classifier = layers.Dense(2, name="classifier")

    def call(self, x):
        h = self.encoder(x)
        return self.projection(h), self.classifier(h)


net = ContrastiveNet()
batch = tf.random.normal((6, 5))
labels = tf.constant([0, 1, 0, 1, 1, 0])
ce = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
net(batch)

with tf.GradientTape() as tape:
    _, logits = net(batch)
    loss = ce(labels, logits)

grads = tape.gradient(loss, net.trainable_variables)
for var, grad in zip(net.trainable_variables, grads):
    print(var.path.split("/", 1)[-1], "missing" if grad is None else "ok")
