import tensorflow as tf

model = tf.keras.Sequential([
    tf.keras.layers.Dense(4, activation="relu", name="first"),
    tf.keras.layers.Dense(2, name="second"),
])
first_output = model.get_layer("first").output
probe = tf.keras.Model(model.inputs, [first_output, model.outputs[0]])
with tf.GradientTape() as tape:
    hidden, y = probe(tf.ones((1, 3)))
print(tape.gradient(y, hidden))
