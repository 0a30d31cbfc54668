import tensorflow as tf


class Gaussian:
    def __init__(self, mean, scale):
        self.mean = tf.identity(mean)
        self.scale = scale

    def log_prob(self, value):
        z = (value - self.mean) / self.scale
        return -0.5 * z ** 2 - tf.math.log(self.scale)


mean = tf.Variable(1.0, name="mean")
prior = Gaussian(mean, tf.constant(2.0))
observations = tf.constant([2.5, 3.0, 1.8])

with tf.GradientTape() as tape:
    nll = -tf.reduce_sum(prior.log_prob(observations))

print("nll", round(float(nll), 4))
print("d nll / d mean:", tape.gradient(nll, mean))
