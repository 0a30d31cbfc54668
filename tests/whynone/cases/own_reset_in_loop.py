import tensorflow as tf

gain = tf.Variable(0.9)
signal = tf.constant(1.0)

with tf.GradientTape() as tape:
    level = signal
    for block in range(3):
        level = level * gain
        tape.reset()
    output = tf.sqrt(level)

gradient = tape.gradient(output, gain)
print("output", round(float(output), 4), "gradient", gradient)
