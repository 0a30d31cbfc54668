import tensorflow as tf

tf.random.set_seed(11)
online = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(2)])
target = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(2)])
states = tf.random.normal((4, 3))
rewards = tf.constant([1.0, 0.0, 0.5, 0.2])

with tf.GradientTape() as tape:
    q = tf.reduce_max(online(states), axis=1)
    loss = tf.reduce_mean((rewards - q) ** 2)

grads = tape.gradient(loss, target.trainable_variables)
print("grads", grads)
