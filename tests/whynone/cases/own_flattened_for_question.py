import tensorflow as tf

tf.random.set_seed(8)
conv = tf.keras.layers.Conv2D(2, 3, activation="relu")
pool = tf.keras.layers.GlobalAveragePooling2D()
dense = tf.keras.layers.Dense(2)
image = tf.random.uniform((1, 5, 5, 1))

with tf.GradientTape() as tape:
    maps = conv(image)
    scores = dense(pool(maps))
    flat_maps = tf.reshape(maps, (1, -1))
    top = scores[0, 1]

importance = tape.gradient(top, flat_maps)
print("importance", importance)
