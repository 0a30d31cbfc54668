import tensorflow as tf

x = tf.Variable(2.0)
momentum = tf.Variable(0.0, trainable=False)
for step in range(4):
    with tf.GradientTape() as tape:
        loss = (x - 0.5) ** 4
    g = tape.gradient(loss, x)
    momentum.assign(0.9 * momentum + g)
    x.assign_sub(0.01 * momentum)
    print(step, float(loss).hex(), float(g).hex(), float(x.numpy()).hex())
