import tensorflow as tf
from support.preprocessing import moving_average, standardise

raw = tf.Variable([0.1, 0.5, 0.3, 0.9, 0.7, 0.2])

with tf.GradientTape() as tape:
    scaled = standardise(raw)
    smooth = moving_average(scaled, 3)
    roughness = tf.reduce_sum((smooth[1:] - smooth[:-1]) ** 2)

print("roughness", round(float(roughness), 4))
print("gradient", tape.gradient(roughness, raw))
