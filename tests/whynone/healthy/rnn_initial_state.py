import tensorflow as tf

tf.keras.utils.set_random_seed(4)
gru = tf.keras.layers.GRU(3, return_state=True)
start = tf.Variable(tf.zeros((1, 3)))
x = tf.random.normal((1, 4, 2))
for step in range(3):
    with tf.GradientTape() as tape:
        last, state = gru(x, initial_state=start)
        loss = tf.reduce_sum((state - 0.2) ** 2)
    g = tape.gradient(loss, start)
    start.assign_sub(0.5 * g)
    print(step, float(loss).hex(), g.numpy().ravel().tolist())
