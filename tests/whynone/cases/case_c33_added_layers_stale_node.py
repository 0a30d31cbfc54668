import tensorflow as tf
from tensorflow.keras import layers

tf.random.set_seed(8)
net = tf.keras.Sequential()
net.add(tf.keras.Input((4,)))
net.add(layers.Dense(3, name="features"))
net.add(layers.Dense(1, name="score"))

x = tf.random.normal((2, 4))
inspector = tf.keras.Model(net.inputs, [net.get_layer("features").output, net.outputs[0]])
with tf.GradientTape() as tape:
    features, score = inspector(x)
importance = tape.gradient(score, features)
print("score shape", score.shape)
print("importance", importance)
