import tensorflow as tf


class Critic(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.trunk = tf.keras.layers.Dense(3)
        self.head = tf.keras.layers.Dense(1)

    def call(self, x):
        return self.head(tf.nn.relu(self.trunk(x)))


critic = Critic()
state = tf.constant([[0.2, -0.1, 0.7, 0.3]])
with tf.GradientTape() as tape:
    value = critic(state)

print("value shape", value.shape)
grads = tape.gradient(value, critic.trunk.output)
print("trunk gradient", grads.shape)
