"""The same after tf.compat.v1.disable_eager_execution()

lesson: grad_cam
kind: recipe
cause: symbolic
claim: With eager execution off, K.gradients and K.function work as in Keras 2.0.
expect: value
"""

import numpy as np
import tensorflow as tf

keras = tf.keras

tf.compat.v1.disable_eager_execution()
inputs = keras.Input((6, 6, 1))
features = keras.layers.Conv2D(2, 3, kernel_initializer="ones", name="last_conv")(inputs)
pooled = keras.layers.GlobalAveragePooling2D()(features)
model = keras.Model(inputs, keras.layers.Dense(3, kernel_initializer="ones")(pooled))
K = keras.backend
gradients = K.gradients(model.output[:, 1], model.get_layer("last_conv").output)[0]
iterate = K.function([model.input], [K.mean(gradients, axis=(0, 1, 2))])
print(iterate([np.ones((1, 6, 6, 1))])[0])
