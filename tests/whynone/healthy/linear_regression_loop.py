import tensorflow as tf

tf.random.set_seed(0)
w = tf.Variable(tf.zeros((2, 1)))
b = tf.Variable(0.0)
x = tf.random.normal((8, 2))
y = x @ tf.constant([[2.0], [-1.0]]) + 0.5
for step in range(5):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((x @ w + b - y) ** 2)
    dw, db = tape.gradient(loss, [w, b])
    w.assign_sub(0.1 * dw)
    b.assign_sub(0.1 * db)
    print(step, float(loss).hex(), dw.numpy().ravel().tolist(), float(db).hex())
