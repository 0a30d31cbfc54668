import tensorflow as tf

stretch = tf.Variable(1.2)
lengths = tf.constant([1.0, 2.0, 3.0])


def strain_energy(factor):
    change = (factor - 1.0) * lengths
    return float(tf.reduce_sum(change ** 2))


with tf.GradientTape() as tape:
    energy = strain_energy(stretch)
print("energy", round(float(energy), 3))
try:
    print("stress", tape.gradient(energy, stretch).numpy())
except TypeError:
    print("stress unknown")
