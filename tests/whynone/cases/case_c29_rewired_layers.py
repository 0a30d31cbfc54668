import tensorflow as tf
from tensorflow.keras import layers

old_in = tf.keras.Input((4,))
features = layers.Dense(5, activation="relu", name="fc_a")(old_in)
old_model = tf.keras.Model(old_in, layers.Dense(3, name="fc_b")(features))

new_in = tf.keras.Input((4,))
h = old_model.get_layer("fc_a")(new_in)
h = old_model.get_layer("fc_b")(h)
new_model = tf.keras.Model(new_in, layers.Dense(1, name="top")(h))

fc_b = new_model.get_layer("fc_b")
watcher = tf.keras.Model(new_model.inputs, [fc_b.output, new_model.outputs[0]])
with tf.GradientTape() as tape:
    act, top = watcher(tf.ones((1, 4)))
print(tape.gradient(top, act))
