import tensorflow as tf
from tensorflow.keras import layers

tf.keras.utils.set_random_seed(28)
inp = tf.keras.Input((8, 8, 1))
conv = layers.Conv2D(3, 3, activation="relu", name="conv")(inp)
model = tf.keras.Model(inp, layers.Dense(2)(layers.GlobalAveragePooling2D()(conv)))
cam = tf.keras.Model(model.inputs, [model.get_layer("conv").output, model.outputs[0]])
image = tf.random.uniform((1, 8, 8, 1), seed=2)
with tf.GradientTape() as tape:
    maps, scores = cam(image)
    top = scores[:, int(tf.argmax(scores[0]))]
grads = tape.gradient(top, maps)
weights = tf.reduce_mean(grads, axis=(0, 1, 2))
heat = tf.nn.relu(tf.reduce_sum(maps[0] * weights, axis=-1))
print(weights.numpy().tolist(), float(tf.reduce_sum(heat)).hex())
