import tensorflow as tf

canvas = tf.Variable(tf.fill((4, 4, 1), 0.3))
with tf.GradientTape() as tape:
    pixels = tf.image.convert_image_dtype(canvas, tf.uint8)
    stored = tf.io.encode_png(pixels)
    loaded = tf.cast(tf.io.decode_png(stored), tf.float32) / 255.0
    brightness = tf.reduce_mean(loaded)
print("brightness", round(float(brightness), 3), tape.gradient(brightness, canvas))
