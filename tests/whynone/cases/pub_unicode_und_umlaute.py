import tensorflow as tf

größe = tf.Variable(2.0, name="größe")
データ = tf.constant([1.0, 2.0])
with tf.GradientTape() as tape:
    verlust = tf.reduce_sum(tf.math.ceil(größe * データ))
print("Gradient von „verlust“:", tape.gradient(verlust, größe))
