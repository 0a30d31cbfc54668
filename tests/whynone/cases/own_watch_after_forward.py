import tensorflow as tf
from tensorflow.keras import layers

tf.random.set_seed(13)
inp = tf.keras.Input((5, 5, 1))
x = layers.Conv2D(2, 3, activation="relu")(inp)
net = tf.keras.Model(inp, layers.Dense(3)(layers.Flatten()(x)))
digit = tf.random.uniform((1, 5, 5, 1))


def saliency_map(model, picture, label):
    with tf.GradientTape() as tape:
        centred = 2.0 * picture - 1.0
        tape.watch(picture)
        logits = model(centred)
        chosen = logits[0, label]
    return tape.gradient(chosen, picture)


print("saliency", saliency_map(net, digit, 1))
