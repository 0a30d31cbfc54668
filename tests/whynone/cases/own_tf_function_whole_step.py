import tensorflow as tf

tf.random.set_seed(5)
model = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(1)])
x = tf.random.normal((6, 3))
y = tf.reduce_sum(x, axis=1, keepdims=True)


@tf.function
def step(inputs, targets):
    prediction = model(inputs)
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((prediction - targets) ** 2)
    grads = tape.gradient(loss, model.trainable_variables)
    return loss, [g is not None for g in grads]


for i in range(2):
    loss, found = step(x, y)
    print("step", i, "gradients found:", [bool(f) for f in found])
