import tensorflow as tf

tf.random.set_seed(20)
embed = tf.keras.layers.Dense(2, name="embed")
items = tf.random.normal((4, 3))


def pairwise(vectors):
    gaps = []
    for i in range(len(vectors)):
        for j in range(i):
            gaps.append(sum((a - b) ** 2 for a, b in zip(vectors[i], vectors[j])))
    return gaps


with tf.GradientTape() as tape:
    points = embed(items).numpy().tolist()
    spread = tf.reduce_mean(pairwise(points))
grads = tape.gradient(spread, embed.trainable_variables)
print("spread gradients", grads)
