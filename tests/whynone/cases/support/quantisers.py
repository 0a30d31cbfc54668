"""Ways to make a code discrete."""
import tensorflow as tf


class UniformQuantiser:
    def __init__(self, step):
        self.step = step

    def __call__(self, code):
        return self.step * tf.floor(code / self.step + 0.5)


def frozen(code):
    return tf.stop_gradient(code)
