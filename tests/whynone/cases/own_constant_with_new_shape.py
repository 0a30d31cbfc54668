import tensorflow as tf

tf.random.set_seed(1)
dense = tf.keras.layers.Dense(4)
x = tf.random.normal((1, 3))

with tf.GradientTape() as tape:
    flat = dense(x)
    grid = tf.constant(flat, shape=(2, 2))
    loss = tf.linalg.trace(grid @ grid)
print([g is not None for g in tape.gradient(loss, dense.trainable_variables)])
