import keras
import tensorflow as tf

age = tf.Variable([[23.0], [41.0], [67.0]])
buckets = keras.layers.Discretization(bin_boundaries=[30.0, 50.0], output_mode="one_hot")
score = keras.layers.Dense(1)
smooth = keras.layers.Rescaling(0.01)

with tf.GradientTape() as tape:
    group = buckets(age)
    risk = tf.reduce_mean(score(tf.cast(group, tf.float32)))
print("age gradient", tape.gradient(risk, age))
