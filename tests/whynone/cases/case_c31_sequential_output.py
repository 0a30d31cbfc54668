import tensorflow as tf
from tensorflow.keras import layers

clf = tf.keras.Sequential([
    tf.keras.Input((4,)),
    layers.Dense(3, activation="relu", name="hidden"),
    layers.Dense(2, name="logits"),
])
sample = tf.ones((1, 4))
print("prediction shape", clf(sample).shape)

pair = tf.keras.Model(clf.inputs, [clf.get_layer("hidden").output, clf.output])
with tf.GradientTape() as tape:
    hidden, logits = pair(sample)
print(tape.gradient(logits, hidden))
