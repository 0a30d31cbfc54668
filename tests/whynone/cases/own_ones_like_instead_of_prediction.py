import tensorflow as tf

tf.random.set_seed(6)
critic = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(1)])
bce = tf.keras.losses.BinaryCrossentropy(from_logits=True)
x = tf.random.normal((4, 3))

with tf.GradientTape() as tape:
    score = critic(x)
    wanted = tf.ones_like(score)
    loss = bce(wanted, tf.ones_like(score))
grads = tape.gradient(loss, critic.trainable_variables)
print("loss", round(float(loss), 4), "grads", grads)
