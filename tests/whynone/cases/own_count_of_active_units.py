import tensorflow as tf

tf.random.set_seed(16)
hidden = tf.keras.layers.Dense(5, activation="relu")
x = tf.random.normal((4, 3))

with tf.GradientTape() as tape:
    h = hidden(x)
    active = tf.math.count_nonzero(h > 0.1, dtype=tf.float32)
    sparsity = active / 20.0
grads = tape.gradient(sparsity, hidden.trainable_variables)
print("sparsity gradients", grads)
