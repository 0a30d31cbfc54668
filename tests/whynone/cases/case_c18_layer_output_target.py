import tensorflow as tf
from tensorflow.keras import layers

inp = tf.keras.Input((6, 6, 1))
feat = layers.Conv2D(2, 3, activation="relu", name="feat")(inp)
out = layers.Dense(1)(layers.Flatten()(feat))
model = tf.keras.Model(inp, out)
image = tf.random.uniform((1, 6, 6, 1), seed=1)

with tf.GradientTape() as tape:
    tape.watch(image)
    model(image)

pattern = tape.gradient(model.get_layer("feat").output, image)
print("pattern", pattern.shape)
