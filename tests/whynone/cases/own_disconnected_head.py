import keras
import tensorflow as tf

keras.utils.set_random_seed(2)
images = keras.Input((6, 6, 1), name="images")
x = keras.layers.Conv2D(3, 3, activation="relu", name="stem")(images)
backbone = keras.Model(images, x, name="backbone")

features = keras.Input((4, 4, 3), name="features")
logits = keras.layers.Dense(2)(keras.layers.Flatten()(features))
head = keras.Model(features, logits, name="head")

joint = keras.Model(images, [x, logits])
with tf.GradientTape() as tape:
    maps, scores = joint(tf.ones((1, 6, 6, 1)))
print(tape.gradient(scores, maps).shape)
