import tensorflow as tf
from tensorflow.keras import layers

small_in = tf.keras.Input((4,))
small = tf.keras.Model(small_in, layers.Dense(3, activation="tanh")(small_in), name="small")

big_in = tf.keras.Input((4,))
middle = small(big_in)
big = tf.keras.Model(big_in, layers.Dense(1)(middle), name="big")


def middle_gradient(model, data):
    tap = model.get_layer("small").output
    probe = tf.keras.Model(model.inputs, [tap, model.outputs[0]])
    with tf.GradientTape() as tape:
        inner, final = probe(data)
    return tape.gradient(final, inner)


print(middle_gradient(big, tf.ones((1, 4))))
