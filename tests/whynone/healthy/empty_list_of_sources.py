import tensorflow as tf

frozen = tf.keras.layers.Dense(2, kernel_initializer="ones")
frozen.trainable = False
x = tf.Variable([[1.0, 2.0]])
with tf.GradientTape(persistent=True) as tape:
    loss = tf.reduce_sum(frozen(x) ** 2)
print(tape.gradient(loss, frozen.trainable_variables))
print(tape.gradient(loss, [x, frozen.kernel])[1].numpy().tolist())
