"""The activation kept as an attribute by a subclassed model's call

lesson: intermediate_activations
kind: recipe
claim: self.hidden, set in call, is a source after a call on data.
expect: value
"""

import tensorflow as tf

keras = tf.keras


class Net(keras.Model):
    def __init__(self):
        super().__init__()
        self.first = keras.layers.Dense(2, kernel_initializer="ones")
        self.last = keras.layers.Dense(1, kernel_initializer="ones")

    def call(self, inputs):
        self.hidden = self.first(inputs)
        return self.last(self.hidden)


model = Net()
with tf.GradientTape() as tape:
    y = model(tf.constant([[1.0, 2.0]]))
print(tape.gradient(y, model.hidden))
