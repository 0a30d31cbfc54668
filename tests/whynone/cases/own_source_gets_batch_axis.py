import tensorflow as tf

tf.random.set_seed(6)
net = tf.keras.Sequential([
    tf.keras.Input((3, 3, 1)), tf.keras.layers.Flatten(), tf.keras.layers.Dense(2)])
picture = tf.random.uniform((3, 3, 1))

with tf.GradientTape() as tape:
    tape.watch(picture)
    scores = net(tf.expand_dims(picture, 0))
    best = tf.reduce_max(scores)

sensitivity = tape.gradient(best, tf.expand_dims(picture, 0))
print("sensitivity", sensitivity)
