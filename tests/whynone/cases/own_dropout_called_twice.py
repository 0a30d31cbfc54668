import tensorflow as tf

tf.random.set_seed(4)
hidden = tf.keras.layers.Dense(4, activation="relu", bias_initializer="ones")
drop = tf.keras.layers.Dropout(0.2, seed=1)
out = tf.keras.layers.Dense(1)
x = tf.random.normal((3, 2))

with tf.GradientTape() as tape:
    h = hidden(x)
    seen = drop(h, training=True)
    y = out(drop(h, training=True))
    loss = tf.reduce_sum(y ** 2)
print("d loss / d seen:", tape.gradient(loss, seen))
