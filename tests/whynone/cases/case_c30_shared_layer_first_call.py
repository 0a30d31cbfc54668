import tensorflow as tf
from tensorflow.keras import layers

left = tf.keras.Input((4,), name="left")
right = tf.keras.Input((4,), name="right")
tower = layers.Dense(3, activation="tanh", name="tower")
left_code = tower(left)
right_code = tower(right)
ranker = tf.keras.Model([left, right], layers.Dense(1)(right_code))

tap = tf.keras.Model(
    [left, right],
    [ranker.get_layer("tower").output, ranker.outputs[0]])
pair = [tf.ones((1, 4)), 2.0 * tf.ones((1, 4))]
with tf.GradientTape() as tape:
    code, rank = tap(pair)
print("gradient at tower:", tape.gradient(rank, code))
