import tensorflow as tf

rate = tf.Variable(0.37)


@tf.function
def simulate(rate, steps):
    level = tf.constant(1.0)
    for _ in tf.range(steps):
        level = tf.round(level * (1.0 + rate) * 10.0) / 10.0
    return level


with tf.GradientTape() as tape:
    final = simulate(rate, tf.constant(3))
    loss = (final - 2.0) ** 2
print("final", round(float(final), 3))
print("gradient", tape.gradient(loss, rate))
