import tensorflow as tf
from tensorflow.keras import layers

tf.keras.utils.set_random_seed(35)
left, right = tf.keras.Input((4,)), tf.keras.Input((4,))
tower = layers.Dense(3, activation="tanh")
model = tf.keras.Model([left, right], layers.Dot(axes=1)([tower(left), tower(right)]))
a, b = tf.random.normal((2, 4)), tf.random.normal((2, 4))
with tf.GradientTape() as tape:
    tape.watch([a, b])
    loss = tf.reduce_sum(model([a, b]) ** 2)
grads = tape.gradient(loss, {"a": a, "b": b, "w": model.trainable_variables})
print({k: tf.nest.map_structure(lambda t: t.numpy().tolist(), g) for k, g in grads.items()})
