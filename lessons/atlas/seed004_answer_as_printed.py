"""The answer: two Dense layers for 3 features, fed with an image

lesson: weights_or_inputs
kind: seed
seed: 004
claim: The example runs on tf.ones((1, 299, 299, 3)).
expect: value
"""

import tensorflow as tf

keras = tf.keras

model = keras.Sequential(
    [
        keras.layers.Dense(
            10, input_shape=(3,), name="fc1", activation="relu", kernel_initializer="ones"
        ),
        keras.layers.Dense(3, input_shape=(3,), name="fc2"),
    ]
)
with tf.GradientTape() as tape:
    preds = model(tf.ones((1, 4, 4, 3)))
print(tape.gradient(preds, model.get_layer("fc1").trainable_variables))
