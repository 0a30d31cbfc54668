import tensorflow as tf

tf.random.set_seed(7)
layer = tf.keras.layers.Dense(2)
data = tf.random.normal((4, 3))

with tf.GradientTape() as tape:
    energy = tf.reduce_sum(layer(data) ** 2)

tensors = [tf.convert_to_tensor(v) for v in layer.trainable_variables]
gradients = tape.gradient(energy, tensors)
print([None if g is None else g.shape for g in gradients])
