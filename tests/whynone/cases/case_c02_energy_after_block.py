import tensorflow as tf


def spring_energy(position, stiffness=3.0):
    return 0.5 * stiffness * position ** 2


def force_at(position):
    with tf.GradientTape() as recorder:
        recorder.watch(position)
    slope = recorder.gradient(spring_energy(position), position)
    return slope


positions = [tf.constant(p) for p in (0.5, 1.0, 2.0)]
for p in positions:
    print("position", float(p), "force", force_at(p))
