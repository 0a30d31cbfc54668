import tensorflow as tf

tf.random.set_seed(13)


def build():
    inp = tf.keras.Input((3,))
    return tf.keras.Model(inp, tf.keras.layers.Dense(2)(inp))


trained = build()
deployed = build()
deployed.set_weights(trained.get_weights())
x = tf.ones((1, 3))

with tf.GradientTape() as tape:
    answer = tf.reduce_sum(deployed(x) ** 2)
grads = tape.gradient(answer, trained.trainable_variables)
print([g is None for g in grads])
