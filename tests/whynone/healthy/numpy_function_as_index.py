import numpy as np
import tensorflow as tf

v = tf.Variable([3.0, 1.0, 2.0])


@tf.function
def smallest_squared():
    index = tf.numpy_function(lambda a: np.argmin(a), [v], tf.int64)
    return tf.gather(v, tf.reshape(index, [1]))[0] ** 2


with tf.GradientTape() as tape:
    loss = smallest_squared()
g = tape.gradient(loss, v)
print(float(loss), tf.convert_to_tensor(g).numpy().tolist())
