import tensorflow as tf

position = tf.constant([0.3, 0.4])
mass = tf.Variable(2.0, name="mass")
stiffness = tf.Variable(5.0, name="stiffness")


class Oscillator:
    def energy(self, q):
        return 0.5 * stiffness * tf.reduce_sum(q ** 2)


with tf.GradientTape() as tape:
    energy = Oscillator().energy(position)
found = tape.gradient(energy, {"q": position, "m": mass, "k": stiffness})
print(sorted((name, g is not None) for name, g in found.items()))
