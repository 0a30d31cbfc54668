import keras
import tensorflow as tf

pixels = keras.Input((4,), name="pixels")
code = keras.layers.Dense(3, name="encoder")(pixels)
frozen = keras.ops.stop_gradient(code)
logit = keras.layers.Dense(1, name="readout")(frozen)
probe = keras.Model(pixels, logit)

x = tf.ones((2, 4))
with tf.GradientTape() as tape:
    loss = tf.reduce_mean(probe(x) ** 2)
grads = tape.gradient(loss, probe.trainable_variables)
for v, g in zip(probe.trainable_variables, grads):
    print(v.path, g is not None)
