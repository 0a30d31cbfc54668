import tensorflow as tf

tf.random.set_seed(4)
model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(2)])
image = tf.random.uniform((1, 4), maxval=255.0)

with tf.GradientTape() as tape:
    tape.watch(image)
    logits = model(image)
    confidence = logits[0, 0] - logits[0, 1]
    image = image / 255.0

print("largest pixel", round(float(tf.reduce_max(image)), 1))
grad = tape.gradient(confidence, image)
print("saliency", grad)
