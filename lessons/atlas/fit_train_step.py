"""fit with a train_step of one's own that keeps a gradient

lesson: gradients_while_training
kind: recipe
claim: fit calls the model's train_step.
expect: value True
"""

import numpy as np
import tensorflow as tf

keras = tf.keras


class Net(keras.Model):
    def train_step(self, data):
        seen.append(True)
        x, y = data
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(self(x, training=True) - y))
        gradients = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))
        return {"loss": loss}


seen = []
inputs = keras.Input((2,))
model = Net(inputs, keras.layers.Dense(1, kernel_initializer="ones")(inputs))
model.compile(optimizer="sgd", loss="mse")
model.fit(np.ones((2, 2)), np.ones((2, 1)), verbose=0)
print(bool(seen))
