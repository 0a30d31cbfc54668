import tensorflow as tf

proportions = tf.Variable([1.0, 2.0, 3.0])
cost = -tf.reduce_mean(tf.math.log(proportions))
optimizer = tf.keras.optimizers.Adam(0.5)


def minimize(loss_fn, variables, steps):
    for _ in range(steps):
        with tf.GradientTape() as tape:
            loss = loss_fn()
        grads = tape.gradient(loss, variables)
        if any(g is None for g in grads):
            print("nothing to apply")
            return
        optimizer.apply_gradients(zip(grads, variables))


minimize(lambda: cost, [proportions], steps=3)
print(proportions.numpy())
