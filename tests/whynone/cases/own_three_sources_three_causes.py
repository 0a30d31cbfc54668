import tensorflow as tf

spare = tf.Variable([1.0, 1.0], name="spare")
fixed = tf.Variable([0.5, 2.0], trainable=False, name="fixed")
powers = tf.Variable([2, 3], name="powers")
base = tf.Variable([1.1, 0.9], name="base")

with tf.GradientTape() as tape:
    curve = fixed * base ** tf.cast(powers, tf.float32)
    area = tf.reduce_sum(curve)

everything = [spare, fixed, powers, base]
for v, g in zip(everything, tape.gradient(area, everything)):
    print(v.name, None if g is None else g.numpy().round(3))
