import tensorflow as tf

logits = tf.Variable([[0.2, -0.1, 0.5]])
values = tf.constant([[1.0], [3.0], [-2.0]])
uniform = tf.random.stateless_uniform((1, 3), seed=(4, 4), minval=1e-6, maxval=1.0)
with tf.GradientTape() as tape:
    soft = tf.nn.softmax((logits - tf.math.log(-tf.math.log(uniform))) / 0.7)
    hard = tf.one_hot(tf.argmax(soft, axis=1), 3)
    choice = hard - tf.stop_gradient(soft) + soft
    loss = tf.reduce_sum(choice @ values)
print(float(loss).hex(), tape.gradient(loss, logits).numpy().tolist())
