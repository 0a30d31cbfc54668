import tensorflow as tf

w = tf.Variable([0.5, -1.0])
v = tf.constant([0.3, 0.7])
with tf.autodiff.ForwardAccumulator(w, v) as acc:
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(w ** 3 * tf.exp(w))
    g = tape.gradient(loss, w)
print(g.numpy().tolist(), acc.jvp(g).numpy().tolist())
