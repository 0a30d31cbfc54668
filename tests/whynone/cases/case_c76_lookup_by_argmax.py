import tensorflow as tf

tf.random.set_seed(14)
router = tf.keras.layers.Dense(3, name="router")
codebook = tf.Variable([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]], name="codebook")
tokens = tf.random.normal((4, 5))
wanted = tf.constant([[1.0, 0.0]] * 4)


def quantise(x):
    logits = router(x)
    choice = tf.argmax(logits, axis=-1)
    return tf.gather(codebook, choice)


with tf.GradientTape() as tape:
    loss = tf.reduce_mean((quantise(tokens) - wanted) ** 2)

for name, g in zip(("router", "codebook"), tape.gradient(loss, [router.kernel, codebook])):
    print(name, "no gradient" if g is None else "has gradient")
