import tensorflow as tf
from tensorflow import keras

keras.utils.set_random_seed(24)
backbone = keras.Sequential([keras.Input((8, 8, 3)), keras.layers.Conv2D(4, 3, name="conv")])
backbone.trainable = False
classifier = keras.Sequential([keras.Input((6, 6, 4)), keras.layers.GlobalAveragePooling2D(), keras.layers.Dense(2)])
classifier.trainable = False


def grad_cam(image):
    with tf.GradientTape() as tape:
        conv_output = backbone(image)
        preds = classifier(conv_output)
        top = preds[:, 0]
    return tape.gradient(top, conv_output)


print(grad_cam(tf.random.normal((1, 8, 8, 3))))
