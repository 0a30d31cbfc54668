"""The same after gtape.watch(bx)

lesson: nested_models
kind: seed
seed: 004
cause: symbolic
claim: Watching the input changes nothing: still None.
expect: None
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
    class_output = model.output[:, np.argmax(preds[0])]
    mixed = model.get_layer("inception").get_layer("mixed10")
print(tape.gradient(class_output, mixed.output))
