import tensorflow as tf
from tensorflow.keras import layers

base_in = tf.keras.Input((8, 8, 3))
conv = layers.Conv2D(4, 3, name="last_conv")(base_in)
backbone = tf.keras.Model(base_in, layers.ReLU()(conv), name="backbone")

image_in = tf.keras.Input((8, 8, 3))
pooled = layers.GlobalAveragePooling2D()(backbone(image_in))
classifier = tf.keras.Model(image_in, layers.Dense(2, name="logits")(pooled))

photo = tf.random.uniform((1, 8, 8, 3), seed=3)
conv_output = classifier.get_layer("backbone").get_layer("last_conv").output
cam_model = tf.keras.Model(classifier.inputs, [conv_output, classifier.outputs[0]])

with tf.GradientTape() as tape:
    maps, logits = cam_model(photo)
    top = logits[:, 0]
weights = tf.reduce_mean(tape.gradient(top, maps), axis=(1, 2))
print(weights.shape)
