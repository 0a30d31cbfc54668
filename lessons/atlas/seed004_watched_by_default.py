"""How many variables the tape watches by itself

lesson: what_the_tape_records
kind: seed
seed: 004
claim: All trainable variables are watched by default.
expect: value 4
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
print(len(tape.watched_variables()))
