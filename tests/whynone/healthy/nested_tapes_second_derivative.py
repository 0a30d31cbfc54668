import tensorflow as tf

x = tf.Variable([0.3, 1.2])
with tf.GradientTape() as t3:
    with tf.GradientTape() as t2:
        with tf.GradientTape() as t1:
            y = tf.sin(x) * x ** 2
        first = t1.gradient(y, x)
    second = t2.gradient(first, x)
third = t3.gradient(second, x)
for g in (first, second, third):
    print(g.numpy().tolist())
