import tensorflow as tf


class Accumulator(tf.Module):
    def __init__(self):
        super().__init__()
        self.memory = tf.Variable(1.0)

    def __call__(self, value):
        self.memory.assign(value * 2.0)
        return self.memory * self.memory


unit = Accumulator()
signal = tf.constant(3.0)
with tf.GradientTape() as tape:
    tape.watch(signal)
    output = unit(signal)

print("output", output.numpy())
print("gradient", tape.gradient(output, signal))
