"""The answer's model, fed with one row of 3 features

lesson: weights_or_inputs
kind: seed
seed: 004
claim: The gradients of fc1's variables alone, all others taken as constants.
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
    preds = model(tf.ones((1, 3)))
print(tape.gradient(preds, model.get_layer("fc1").trainable_variables))
