import tensorflow as tf


class Monitored(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.hidden = tf.keras.layers.Dense(4, activation="tanh")
        self.out = tf.keras.layers.Dense(1)

    def call(self, x):
        return self.out(self.hidden(x))

    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            loss = self.compute_loss(x, y, self(x, training=True))
        grads = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(grads, self.trainable_variables))
        return {"loss": loss, "grad_norm": tf.linalg.global_norm(grads)}


tf.keras.utils.set_random_seed(15)
x = tf.random.normal((8, 3))
y = tf.reduce_sum(x, axis=1, keepdims=True)
model = Monitored()
model.compile(optimizer=tf.keras.optimizers.SGD(0.1), loss="mse")
history = model.fit(x, y, batch_size=4, epochs=3, verbose=0, shuffle=False)
print({k: [float(v).hex() for v in vs] for k, vs in history.history.items()})
