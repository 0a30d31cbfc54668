import tensorflow as tf

tf.random.set_seed(5)
projector = tf.Variable(tf.random.normal((3, 2)), name="projector")


@tf.function(jit_compile=True)
def normalised(x):
    z = x @ projector
    length = tf.sqrt(tf.reduce_sum(z * z, axis=1, keepdims=True) + 1e-6)
    return tf.stop_gradient(z / length)


a = tf.random.normal((4, 3))
with tf.GradientTape() as tape:
    loss = tf.reduce_mean(normalised(a)[:, 0])
print("projector gradient", tape.gradient(loss, projector))
