import tensorflow as tf
from tensorflow.keras import layers

tf.random.set_seed(1)
pretrained_in = tf.keras.Input((8, 8, 3))
x = layers.Conv2D(4, 3, activation="relu", name="block_conv")(pretrained_in)
pretrained = tf.keras.Model(pretrained_in, layers.MaxPooling2D()(x), name="pretrained")
pretrained.trainable = False

net = tf.keras.Sequential([
    tf.keras.Input((8, 8, 3)),
    pretrained,
    layers.Flatten(),
    layers.Dense(2),
])
target_layer = net.layers[0].get_layer("block_conv")
heat = tf.keras.Model(inputs=net.inputs, outputs=[target_layer.output, net.outputs[0]])
with tf.GradientTape() as tape:
    conv_map, score = heat(tf.ones((1, 8, 8, 3)))
print(tape.gradient(score, conv_map))
