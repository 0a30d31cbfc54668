"""An activation inside the block, never watched

lesson: what_the_tape_records
kind: seed
seed: 000
claim: A tape follows trainable variables only, and records no activation by itself.
expect: None
"""

import tensorflow as tf

keras = tf.keras

layer = keras.layers.Dense(2, kernel_initializer="ones")
head = keras.layers.Dense(1, kernel_initializer="ones")
with tf.GradientTape() as tape:
    activation = layer(tf.ones((1, 2)))
    y = head(activation)
print(tape.gradient(y, activation))
