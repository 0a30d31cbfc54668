import tensorflow as tf
from tensorflow.keras import layers

text = tf.keras.Input((4,), name="text")
image = tf.keras.Input((6,), name="image")
text_code = layers.Dense(3, name="text_code")(text)
image_code = layers.Dense(3, name="image_code")(image)
score = layers.Dot(axes=1)([text_code, image_code])
clip = tf.keras.Model([text, image], score)

tap = tf.keras.Model(clip.get_layer("text").output, [text_code, clip.outputs[0]])
with tf.GradientTape() as tape:
    code, similarity = tap(tf.ones((1, 4)))
print(tape.gradient(similarity, code))
