import tensorflow as tf

tf.random.set_seed(17)
dense = tf.keras.layers.Dense(1)
x = tf.random.normal((3, 2))
dense(x)


@tf.function
def loss_and_gradient(kernel, inputs):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum((inputs @ kernel) ** 2)
    return loss, tape.gradient(loss, kernel)


loss, grad = loss_and_gradient(dense.kernel, x)
print("gradient:", grad)
