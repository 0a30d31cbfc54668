import tensorflow as tf

entry = tf.keras.Input((2,))
hidden = tf.keras.layers.Dense(3)(entry)
blocked = tf.stop_gradient(hidden)
model = tf.keras.Model(entry, tf.keras.layers.Dense(1)(blocked))

with tf.GradientTape() as tape:
    y = model(tf.ones((1, 2)))
print(tape.gradient(y, model.trainable_variables))
