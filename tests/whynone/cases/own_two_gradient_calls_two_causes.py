import tensorflow as tf

position = tf.Variable([1.0, 2.0])
velocity = tf.constant([0.5, -0.5])

with tf.GradientTape(persistent=True) as tape:
    kinetic = 0.5 * tf.reduce_sum(velocity ** 2)
    tape.watch(velocity)
    potential = tf.reduce_sum(position ** 2)

energy = kinetic + potential
force = tape.gradient(energy, position)
momentum = tape.gradient(kinetic, velocity)
print("force", force, "momentum", momentum)
