"""model.inputs of a subclassed model that was called

lesson: no_inbound_nodes
kind: recipe
claim: After a call on data a subclassed model has inputs.
expect: list [symbolic
"""

import tensorflow as tf

keras = tf.keras


class Net(keras.Model):
    def __init__(self):
        super().__init__()
        self.last = keras.layers.Dense(1)

    def call(self, inputs):
        return self.last(inputs)


model = Net()
model(tf.ones((1, 2)))
print(model.inputs)
