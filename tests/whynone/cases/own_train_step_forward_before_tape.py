import tensorflow as tf


class Regressor(tf.keras.Sequential):
    def train_step(self, data):
        x, y = data
        y_pred = self(x, training=True)
        with tf.GradientTape() as tape:
            loss = self.compute_loss(x=x, y=y, y_pred=y_pred)
        gradients = tape.gradient(loss, self.trainable_variables)
        found = [(g, v) for g, v in zip(gradients, self.trainable_variables) if g is not None]
        if found:
            self.optimizer.apply_gradients(found)
        return {"loss": loss, "weights_updated": len(found)}


tf.random.set_seed(10)
model = Regressor([tf.keras.Input((2,)), tf.keras.layers.Dense(1)])
model.compile(optimizer="sgd", loss="mse")
x = tf.random.normal((4, 2))
history = model.fit(x, x[:, :1], batch_size=2, epochs=1, verbose=0)
print("updated:", history.history["weights_updated"])
