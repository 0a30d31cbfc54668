import keras
import tensorflow as tf

keras.utils.set_random_seed(10)
autoencoder = keras.Sequential([
    keras.Input((4,)),
    keras.layers.Dense(2, activation="sigmoid", name="encoder"),
    keras.layers.Lambda(lambda code: tf.round(code), name="bits"),
    keras.layers.Dense(4, name="decoder"),
])
autoencoder.compile(optimizer="adam", loss="mse")
x = tf.random.uniform((6, 4))
history = autoencoder.fit(x, x, epochs=1, batch_size=3, verbose=0)
print(len(history.history["loss"]), "epoch")
