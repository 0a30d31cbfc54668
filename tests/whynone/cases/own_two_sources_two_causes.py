import tensorflow as tf

features = tf.constant([[0.2, 1.4], [0.9, -0.7]])
scale = tf.Variable([1.0, 2.0], name="scale")
offset = tf.Variable([0.3, 0.6], name="offset")

with tf.GradientTape() as tape:
    scaled = features * scale
    shifted = scaled + tf.round(offset * 4.0) / 4.0
    cost = tf.reduce_sum(shifted ** 2)

d_scale, d_features, d_offset = tape.gradient(cost, [scale, features, offset])
print("scale", d_scale.numpy())
print("features", d_features)
print("offset", d_offset)
