"""The layers of a subclassed model, called one by one

lesson: intermediate_activations
kind: seed
seed: 000
claim: Calling the layers yourself works for a subclassed model, too.
expect: value
"""

import tensorflow as tf

keras = tf.keras


class Net(keras.Model):
    def __init__(self):
        super().__init__()
        self.hidden = keras.layers.Dense(2, kernel_initializer="ones")
        self.last = keras.layers.Dense(1, kernel_initializer="ones")

    def call(self, inputs):
        return self.last(self.hidden(inputs))


model = Net()
with tf.GradientTape() as tape:
    activation = model.hidden(tf.ones((1, 2)))
    y = model.last(activation)
print(tape.gradient(y, activation))
