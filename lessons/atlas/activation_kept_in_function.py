"""The same, with the model called inside a tf.function

lesson: intermediate_activations
kind: recipe
cause: other_call
claim: self.hidden, set in call, is a source after a call in a tf.function.
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
run = tf.function(lambda x: model(x))
with tf.GradientTape() as tape:
    y = run(tf.constant([[1.0, 2.0]]))
print(tape.gradient(y, model.hidden))
