import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(23)
net = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1)])
x = tf.random.normal((5, 2))
history = []
for step in range(3):
    with tf.GradientTape() as tape:
        out = net(x)
        history.append(np.mean(out.numpy()))
        loss = tf.reduce_mean((out - 1.0) ** 2)
        if float(loss) > 1e6:
            print("diverged")
    grads = tape.gradient(loss, net.trainable_variables)
    print(step, float(loss).hex(), f"{loss.numpy():.6f}", [g.numpy().ravel().tolist() for g in grads])
    for v, g in zip(net.trainable_variables, grads):
        v.assign_sub(0.1 * g)
print(np.array(history).tolist())
