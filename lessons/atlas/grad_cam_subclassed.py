"""Grad-CAM on a subclassed model

lesson: grad_cam
kind: recipe
claim: A second model with the last convolution's and the model's output.
expect: value
"""

import tensorflow as tf

keras = tf.keras


class Net(keras.Model):
    def __init__(self):
        super().__init__()
        self.last_conv = keras.layers.Conv2D(2, 3, kernel_initializer="ones")
        self.pool = keras.layers.GlobalAveragePooling2D()
        self.head = keras.layers.Dense(3, kernel_initializer="ones")

    def call(self, inputs):
        return self.head(self.pool(self.last_conv(inputs)))


model = Net()
model(tf.ones((1, 6, 6, 1)))
both = keras.Model(model.inputs, [model.last_conv.output, model.output])
with tf.GradientTape() as tape:
    features, predictions = both(tf.ones((1, 6, 6, 1)))
    score = predictions[:, 1]
print(tape.gradient(score, features)[0, 0, 0])
