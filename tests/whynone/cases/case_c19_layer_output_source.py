import tensorflow as tf
from tensorflow.keras import layers

tf.random.set_seed(4)
net = tf.keras.Sequential([
    tf.keras.Input((4, 4)),
    layers.Flatten(),
    layers.Dense(8, name="embed"),
    layers.ReLU(),
    layers.Dense(3),
])
digits = tf.random.normal((2, 4, 4))
labels = tf.constant([0, 2])
loss_fn = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)

with tf.GradientTape() as tape:
    loss = loss_fn(labels, net(digits))

embedding = net.get_layer("embed").output
print("asking for", net.get_layer("embed").name)
grad = tape.gradient(loss, embedding)
print(grad)
