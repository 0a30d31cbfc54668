"""layer.output in a subclassed model that was called

lesson: no_inbound_nodes
kind: seed
seed: 000
cause: never_called
claim: In a subclassed model layer.output needs to be followed inside the block.
expect: symbolic
"""

import tensorflow as tf

keras = tf.keras


class Net(keras.Model):
    def __init__(self):
        super().__init__()
        self.hidden = keras.layers.Dense(2, name="hidden")
        self.last = keras.layers.Dense(1)

    def call(self, inputs):
        return self.last(self.hidden(inputs))


model = Net()
with tf.GradientTape() as tape:
    y = model(tf.ones((1, 2)))
    print(model.get_layer("hidden").output)
