import tensorflow as tf

prices = tf.Variable([2.0, 5.0, 2.0, 3.0])

with tf.GradientTape() as tape:
    discounted = prices * 0.9
    distinct = tf.unique(discounted).y
    spread = tf.reduce_max(distinct) - tf.reduce_min(distinct)

print("spread", round(float(spread), 3))
slope = tape.gradient(spread, prices)
print("slope", slope)
