import tensorflow as tf

tf.random.set_seed(14)
model = tf.keras.Sequential([
    tf.keras.Input((3,)),
    tf.keras.layers.Dense(4),
    tf.keras.layers.BatchNormalization(name="norm"),
    tf.keras.layers.Dense(1),
])
x = tf.random.normal((6, 3))
with tf.GradientTape() as tape:
    loss = tf.reduce_mean(model(x, training=False) ** 2)
for v, g in zip(model.weights, tape.gradient(loss, model.weights)):
    if g is None:
        print(v.path, "has no gradient")
