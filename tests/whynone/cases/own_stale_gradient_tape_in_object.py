import tensorflow as tf


class Simulator:
    def __init__(self):
        self.mass = tf.Variable(2.0, name="mass")
        self.inverse = 1.0 / self.mass

    def fall(self, force, seconds):
        velocity = force * self.inverse * seconds
        return 0.5 * velocity * seconds


world = Simulator()
with tf.GradientTape() as tape:
    miss = (world.fall(tf.constant(3.0), 2.0) - 4.0) ** 2
print("miss", float(miss), "mass gradient", tape.gradient(miss, world.mass))
