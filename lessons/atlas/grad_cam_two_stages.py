"""Grad-CAM on a nested model, in two stages

lesson: grad_cam
kind: recipe
claim: The nested model on its own, then the outer layers by hand.
expect: value
"""

import tensorflow as tf

keras = tf.keras

inputs = keras.Input((6, 6, 1))
features = keras.layers.Conv2D(2, 3, kernel_initializer="ones", name="last_conv")(inputs)
base = keras.Model(inputs, features, name="base")
pool = keras.layers.GlobalAveragePooling2D()
head = keras.layers.Dense(3, kernel_initializer="ones")
model = keras.Sequential([keras.Input((6, 6, 1)), base, pool, head])
with tf.GradientTape() as tape:
    features = base(tf.ones((1, 6, 6, 1)))
    score = head(pool(features))[:, 1]
print(tape.gradient(score, features)[0, 0, 0])
