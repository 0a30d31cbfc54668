import tensorflow as tf

model = tf.keras.Sequential([
    tf.keras.Input((3,)),
    tf.keras.layers.Dense(4, activation="tanh"),
    tf.keras.layers.Dense(1),
])
batch = tf.constant([[0.1, 0.2, 0.3], [1.0, 0.0, -1.0]])

with tf.GradientTape() as tape:
    tape.watch(model.inputs)
    prediction = model(batch)

saliency = tape.gradient(prediction, model.inputs)
print(saliency)
