import tensorflow as tf
from tensorflow.keras import layers

tf.random.set_seed(6)
base = tf.keras.Sequential(
    [tf.keras.Input((4,)), layers.Dense(5, name="block5"), layers.Dense(3)], name="base")
model = tf.keras.Sequential([tf.keras.Input((4,)), base, layers.Dense(2)])
probe = tf.keras.Model(base.inputs, base.get_layer("block5").output)


def class_gradient(sample, k):
    with tf.GradientTape() as tape:
        tape.watch(sample)
        activation = probe(sample)
        scores = model(sample)
        chosen = scores[:, k]
    return tape.gradient(chosen, activation)


sample = tf.random.normal((1, 4))
print("class 0:", class_gradient(sample, 0))
print("class 1:", class_gradient(sample, 1))
