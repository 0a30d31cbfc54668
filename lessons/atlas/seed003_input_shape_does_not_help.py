"""The subclassed model's layer with an input_shape: layer.output

lesson: no_inbound_nodes
kind: seed
seed: 003
cause: never_called
claim: Giving the input shape in the subclassed model changes nothing.
expect: error
"""

import tensorflow as tf

keras = tf.keras


class Net(keras.Model):
    def __init__(self):
        super().__init__()
        self.minimalrnn = keras.layers.SimpleRNN(2, input_shape=(5, 1), name="minimalrnn")
        self.out = keras.layers.Dense(4)

    def call(self, inputs):
        return self.out(self.minimalrnn(inputs))


model = Net()
model(tf.ones((2, 5, 1)))
print(model.get_layer("minimalrnn").output)
