import tensorflow as tf

v = tf.Variable(2.0)
with tf.GradientTape() as tape:
    y = v ** 2
print("gradient", float(tape.gradient(y, v)))
raise KeyError("a fault that has nothing to do with gradients")
