import tensorflow as tf

rate = tf.Variable([1.5, 4.0], name="rate")
observed = tf.constant([2.0, 3.0])

with tf.GradientTape() as tape:
    counts = tf.random.poisson([6], rate, seed=1)
    moment = tf.reduce_mean(counts, axis=0)
    loss = tf.reduce_sum((moment - observed) ** 2)

grad = tape.gradient(loss, rate)
print("grad", grad)
