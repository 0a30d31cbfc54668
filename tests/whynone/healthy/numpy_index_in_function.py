import numpy as np
import tensorflow as tf

v = tf.Variable([3.0, 1.0, 2.0])


def smallest_squared():
    index = tf.numpy_function(lambda a: np.argmin(a), [v], tf.int64)
    return tf.gather(v, tf.reshape(index, [1]))[0] ** 2


def step():
    with tf.GradientTape() as tape:
        loss = smallest_squared()
    return tape.gradient(loss, v)


for run in (step, tf.function(step)):
    print(tf.convert_to_tensor(run()).numpy())
