import keras
import tensorflow as tf

keras.utils.set_random_seed(8)
front = keras.layers.Dense(2)
back = keras.layers.Dense(1)
x = tf.random.normal((3, 4))

with tf.GradientTape() as tape:
    hidden = keras.ops.convert_to_numpy(front(x))
    loss = keras.ops.mean(back(hidden) ** 2)
print([g is not None for g in tape.gradient(loss, front.variables + back.variables)])
