"""The class index by np.argmax inside the block

lesson: left_tensorflow
kind: seed
seed: 004
claim: An index may be computed with NumPy inside the block; the score keeps its gradient.
expect: value
"""

import numpy as np
import tensorflow as tf

keras = tf.keras

inputs = keras.Input((6, 6, 3))
hidden = keras.layers.Conv2D(2, 3, kernel_initializer="ones", name="mixed10")(inputs)
inner = keras.Model(inputs, keras.layers.GlobalAveragePooling2D()(hidden), name="inception")
model = keras.Sequential([inner, keras.layers.Dense(2, kernel_initializer="ones")])
x = tf.ones((1, 6, 6, 3))
with tf.GradientTape() as tape:
    tape.watch(x)
    preds = model(x)
    score = preds[:, np.argmax(preds[0])]
print(tape.gradient(score, x))
