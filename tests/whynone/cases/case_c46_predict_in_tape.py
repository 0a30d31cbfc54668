import tensorflow as tf

tf.random.set_seed(12)
regressor = tf.keras.Sequential([
    tf.keras.Input((2,)),
    tf.keras.layers.Dense(3, activation="relu"),
    tf.keras.layers.Dense(1),
])
optimizer = tf.keras.optimizers.SGD(0.01)
x = tf.random.normal((4, 2))
y = tf.reduce_sum(x, axis=1, keepdims=True)


def step():
    with tf.GradientTape() as tape:
        y_hat = regressor.predict(x, verbose=0)
        loss = tf.reduce_mean(tf.square(y - y_hat))
    weights = regressor.trainable_variables
    optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights))


try:
    step()
except ValueError as e:
    print("ValueError:", str(e)[:32])
