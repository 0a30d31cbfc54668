import tensorflow as tf


def trajectory(t):
    return 2.0 * t ** 3 - t


def motion(time):
    with tf.GradientTape() as slow_tape:
        slow_tape.watch(time)
        with tf.GradientTape() as fast_tape:
            fast_tape.watch(time)
            place = trajectory(time)
    velocity = fast_tape.gradient(place, time)
    acceleration = slow_tape.gradient(velocity, time)
    return place, velocity, acceleration


for second in (0.5, 1.5):
    x, v, a = motion(tf.constant(second))
    print("t", second, "x", float(x), "v", float(v), "a", a)
