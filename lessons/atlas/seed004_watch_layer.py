"""gtape.watch(last_conv_layer), the line left as a comment

lesson: nested_models
kind: seed
seed: 004
claim: A layer can be watched.
expect: value
"""

import tensorflow as tf

keras = tf.keras

inputs = keras.Input((6, 6, 3))
hidden = keras.layers.Conv2D(2, 3, kernel_initializer="ones", name="mixed10")(inputs)
inner = keras.Model(inputs, keras.layers.GlobalAveragePooling2D()(hidden), name="inception")
model = keras.Sequential([inner, keras.layers.Dense(2, kernel_initializer="ones")])
x = tf.ones((1, 6, 6, 3))
with tf.GradientTape() as tape:
    tape.watch(model.get_layer("inception").get_layer("mixed10"))
    preds = model(x)
print(tape.gradient(preds, x))
