import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(14)
rng = np.random.default_rng(14)
x = rng.normal(size=(16, 3)).astype("float32")
y = (x.sum(axis=1) > 0).astype("float32")
model = tf.keras.Sequential([
    tf.keras.Input((3,)),
    tf.keras.layers.Dense(4, activation="relu"),
    tf.keras.layers.Dropout(0.2, seed=1),
    tf.keras.layers.Dense(1, activation="sigmoid"),
])
model.compile(optimizer="adam", loss="binary_crossentropy", metrics=["accuracy"])
history = model.fit(x, y, batch_size=8, epochs=3, verbose=0, shuffle=False)
print([float(v).hex() for v in history.history["loss"]], history.history["accuracy"])
print([float(np.sum(w)).hex() for w in model.get_weights()])
