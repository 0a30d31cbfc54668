import tensorflow as tf


def prepare(tape, tensor):
    tape.watch(tensor)
    return tensor


signal = tf.constant([0.1, 0.9, 0.4])
with tf.GradientTape() as tape:
    filtered = tf.math.cumsum(signal) * 0.5
    signal = prepare(tape, signal)
    energy = tf.reduce_sum(filtered ** 2)

print("energy", round(float(energy), 4))
print("gradient", tape.gradient(energy, signal))
