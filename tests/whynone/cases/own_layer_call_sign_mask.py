import tensorflow as tf


@tf.keras.utils.register_keras_serializable("demo")
class HardGate(tf.keras.layers.Layer):
    def call(self, x):
        gate = tf.cast(tf.greater(x, 0.0), x.dtype)
        return 2.0 * gate


tf.random.set_seed(6)
inputs = tf.keras.Input((4,))
hidden = tf.keras.layers.Dense(3, name="before")(inputs)
gated = HardGate(name="gate")(hidden)
outputs = tf.keras.layers.Dense(1, name="after")(gated)
model = tf.keras.Model(inputs, outputs)

with tf.GradientTape() as tape:
    loss = tf.reduce_mean(model(tf.random.normal((5, 4))) ** 2)
grads = tape.gradient(loss, model.trainable_variables)
print({v.path: g is not None for v, g in zip(model.trainable_variables, grads)})
