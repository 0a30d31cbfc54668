import tensorflow as tf

x = tf.Variable([0.5, 1.0])
with tf.GradientTape() as outer:
    with tf.GradientTape() as inner:
        f = tf.reduce_sum(tf.sin(x) * x)
    with outer.stop_recording():
        slope = inner.gradient(f, x)
    penalty = tf.reduce_sum(slope ** 2)

curve = outer.gradient(penalty, x)
print("slope", slope.numpy().round(3), "curve", curve)
