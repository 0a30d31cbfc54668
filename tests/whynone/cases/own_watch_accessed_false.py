import tensorflow as tf

slope = tf.Variable(2.0, name="slope")
offset = tf.Variable(-1.0, name="offset")
x = tf.constant([0.0, 1.0, 2.0])


def line(x):
    return slope * x + offset


with tf.GradientTape(watch_accessed_variables=False) as tape:
    tape.watch(slope)
    loss = tf.reduce_mean(line(x) ** 2)

grads = tape.gradient(loss, [slope, offset])
print("slope", float(grads[0]), "offset", grads[1])
