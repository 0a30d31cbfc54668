import tensorflow as tf


def log_volume(matrix):
    packed, _ = tf.linalg.lu(matrix)
    return tf.reduce_sum(tf.math.log(tf.abs(tf.linalg.diag_part(packed))))


basis = tf.Variable([[2.0, 0.3], [0.1, 1.0]])
with tf.GradientTape() as tape:
    volume = log_volume(basis)
try:
    print(tape.gradient(volume, basis))
except LookupError as missing:
    print("LookupError", str(missing)[:40])
