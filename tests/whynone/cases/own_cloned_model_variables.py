import tensorflow as tf

tf.random.set_seed(12)
original = tf.keras.Sequential([
    tf.keras.Input((2,)), tf.keras.layers.Dense(3, activation="relu"), tf.keras.layers.Dense(1)])
weights = original.trainable_variables
model = tf.keras.models.clone_model(original)
optimizer = tf.keras.optimizers.SGD(0.1)
x = tf.random.normal((4, 2))

for step in range(2):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(model(x) ** 2)
    grads = tape.gradient(loss, weights)
    pairs = [(g, w) for g, w in zip(grads, weights) if g is not None]
    print("step", step, "usable gradients", len(pairs))
