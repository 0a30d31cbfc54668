import tensorflow as tf

tf.keras.utils.set_random_seed(16)
x = tf.random.normal((8, 2))
y = tf.reduce_sum(x ** 2, axis=1, keepdims=True)
model = tf.keras.Sequential([
    tf.keras.Input((2,)), tf.keras.layers.Dense(6, activation="swish"), tf.keras.layers.Dense(1)])
model.compile(optimizer="rmsprop", loss="mae", run_eagerly=True)
log = []
model.fit(
    x, y, batch_size=4, epochs=2, verbose=0, shuffle=False,
    callbacks=[tf.keras.callbacks.LambdaCallback(
        on_epoch_end=lambda epoch, logs: log.append(float(logs["loss"]).hex()))])
print(log, model.predict(x[:2], verbose=0).ravel().tolist())
