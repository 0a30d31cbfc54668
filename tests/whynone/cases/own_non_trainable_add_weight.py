import tensorflow as tf


class Temperature(tf.keras.layers.Layer):
    def build(self, shape):
        self.tau = self.add_weight(
            name="tau", shape=(), initializer="ones", trainable=False)

    def call(self, logits):
        return logits / self.tau


layer = Temperature()
logits = tf.constant([[1.0, 2.0, 0.5]])
labels = tf.constant([2])
with tf.GradientTape() as tape:
    loss = tf.keras.losses.sparse_categorical_crossentropy(
        labels, layer(logits), from_logits=True)

print("loss", loss.numpy().round(4))
print("tau gradient", tape.gradient(loss, layer.tau))
