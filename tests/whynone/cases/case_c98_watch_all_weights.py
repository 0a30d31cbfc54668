import tensorflow as tf


class Pinn(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.hidden = tf.keras.layers.Dense(3, activation="tanh")
        self.out = tf.keras.layers.Dense(1)

    def call(self, t):
        return self.out(self.hidden(t))


model = Pinn()
t = tf.constant([[0.0], [0.5]])
model(t)
with tf.GradientTape() as tape:
    tape.watch(model.trainable_variables)
    u = tf.reduce_mean(model(t) ** 2)
print(len(tape.gradient(u, model.trainable_variables)))
