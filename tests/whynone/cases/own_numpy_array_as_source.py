import numpy as np
import tensorflow as tf

tf.random.set_seed(2)
net = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(1)])
sample = np.array([[0.2, -0.4, 1.0]], dtype="float32")

with tf.GradientTape() as tape:
    output = net(sample)
print("saliency", tape.gradient(output, sample))
