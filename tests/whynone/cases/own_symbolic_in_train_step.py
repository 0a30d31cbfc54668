import tensorflow as tf


class Penalised(tf.keras.Model):
    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            y_pred = self(x, training=True)
            loss = tf.reduce_mean((y_pred - y) ** 2)
        slope = tape.gradient(loss, self.input)
        return {"loss": loss, "slope": tf.reduce_mean(slope)}


inputs = tf.keras.Input((3,))
model = Penalised(inputs, tf.keras.layers.Dense(1)(inputs))
model.compile(optimizer="sgd")
x = tf.ones((4, 3))
model.fit(x, x[:, :1], verbose=0)
