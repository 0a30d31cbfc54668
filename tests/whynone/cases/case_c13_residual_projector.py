import tensorflow as tf

tf.random.set_seed(5)


class ResidualBlock(tf.keras.layers.Layer):
    def build(self, shape):
        width = shape[-1]
        self.inner = tf.keras.layers.Dense(width, name="inner")
        self.shortcut = tf.keras.layers.Dense(width, name="shortcut")
        self.inner.build(shape)
        self.shortcut.build(shape)

    def call(self, x):
        y = self.inner(x)
        if y.shape[-1] == x.shape[-1]:
            return x + y
        return self.shortcut(x) + y


block = ResidualBlock()
data = tf.random.normal((4, 3))
block(data)
with tf.GradientTape() as tape:
    loss = tf.reduce_mean(block(data) ** 2)
grads = tape.gradient(loss, block.trainable_weights)
missing = [w.name for w, g in zip(block.trainable_weights, grads) if g is None]
print("missing:", missing)
