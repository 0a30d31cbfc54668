import tensorflow as tf

tf.random.set_seed(11)
critic = tf.keras.Sequential([
    tf.keras.Input((2,)), tf.keras.layers.Dense(3, activation="tanh"), tf.keras.layers.Dense(1)])
x = tf.random.normal((4, 2))


def input_slope(points):
    with tf.GradientTape() as inner:
        inner.watch(points)
        value = critic(points)
    return inner.gradient(value, points)


slope = input_slope(x)
with tf.GradientTape() as outer:
    penalty = tf.reduce_mean((tf.norm(slope, axis=1) - 1.0) ** 2)
weights = critic.trainable_variables[:2]
print([g is not None for g in outer.gradient(penalty, weights)])
