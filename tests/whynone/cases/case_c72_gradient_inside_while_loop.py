import tensorflow as tf

stiffness = tf.Variable(3.0)


@tf.function
def curvature_sum(steps):
    with tf.GradientTape() as tape:
        energy = stiffness ** 3
    force = tape.gradient(energy, stiffness)
    total = tf.constant(0.0)
    for _ in tf.range(steps):
        with tf.GradientTape() as second:
            scaled = force * 2.0
        curvature = second.gradient(scaled, stiffness)
        if curvature is not None:
            total += curvature
    return total


print("sum of curvatures:", float(curvature_sum(2)))
