import tensorflow as tf

tf.random.set_seed(14)
encoder = tf.keras.layers.Dense(3, activation="tanh")
decoder = tf.keras.layers.Dense(4)
x = tf.random.normal((2, 4))

with tf.GradientTape() as tape:
    with tape.stop_recording():
        code = encoder(x)
    rebuilt = decoder(code)
    loss = tf.reduce_mean((rebuilt - x) ** 2)

for name, layer in (("encoder", encoder), ("decoder", decoder)):
    if name == "encoder":
        grads = tape.gradient(loss, layer.trainable_variables)
        print(name, [g is not None for g in grads])
