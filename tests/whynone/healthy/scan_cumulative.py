import tensorflow as tf

decay = tf.Variable(0.9)
series = tf.constant([1.0, 2.0, 3.0, 4.0])


@tf.function
def smooth(values):
    return tf.scan(lambda state, v: decay * state + (1.0 - decay) * v, values)


with tf.GradientTape() as tape:
    loss = tf.reduce_sum((smooth(series) - series) ** 2)
print(float(loss).hex(), float(tape.gradient(loss, decay)).hex())
