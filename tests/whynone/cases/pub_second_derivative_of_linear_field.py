import tensorflow as tf

tf.keras.utils.set_random_seed(20)


class Field(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.linear = tf.keras.layers.Dense(1)

    def call(self, t):
        return self.linear(t)

    def acceleration(self, t):
        with tf.GradientTape() as outer:
            outer.watch(t)
            with tf.GradientTape() as inner:
                inner.watch(t)
                x = self(t)
            v = inner.gradient(x, t)
        return outer.gradient(v, t)


print(Field().acceleration(tf.constant([[0.1], [0.2]])))
