"""I built a Sequential from a list and made a second model of it

lesson: intermediate_activations
kind: fixed
cause: other_call
"""

import tensorflow as tf

keras = tf.keras

model = keras.Sequential(
    [
        keras.Input((2,)),
        keras.layers.Dense(2, kernel_initializer="ones", name="hidden"),
        keras.layers.Dense(1, kernel_initializer="ones"),
    ]
)
both = keras.Model(model.inputs, [model.get_layer("hidden").output, model.outputs[0]])
with tf.GradientTape() as tape:
    activation, y = both(tf.constant([[1.0, 2.0]]))
print(tape.gradient(y, activation))
