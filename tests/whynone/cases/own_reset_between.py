import tensorflow as tf

theta = tf.Variable([0.2, 0.4])
with tf.GradientTape() as tape:
    warmup = tf.reduce_sum(tf.cos(theta))
    tape.reset()
    objective = warmup * 3.0

print("objective", round(float(objective), 4))
print("slope", tape.gradient(objective, theta))
