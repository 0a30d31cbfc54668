import tensorflow as tf
from tensorflow.keras import layers


class TwoBlocks(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.block1 = layers.Dense(4, activation="relu")
        self.block2 = layers.Dense(3)

    def call(self, x):
        return self.block2(self.block1(x))


model = TwoBlocks()
model.build((None, 6))
print("weights:", len(model.weights))

features = model.block1.output
with tf.GradientTape() as tape:
    y = model(tf.ones((1, 6)))
print(tape.gradient(y, features))
