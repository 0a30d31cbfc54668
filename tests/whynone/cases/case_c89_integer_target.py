import tensorflow as tf

level = tf.constant([0.2, 0.7, 0.4])
with tf.GradientTape() as tape:
    tape.watch(level)
    loud = level * 255.0
    pixel = tf.cast(loud, tf.int32)
    brightness = tf.reduce_sum(pixel)

print("brightness", brightness.numpy())
change = tape.gradient(brightness, level)
print("change", change)
