import tensorflow as tf

temperature = tf.Variable([18.2, 21.7, 25.1])


def comfort(celsius):
    felt = celsius + 0.3 * tf.square(celsius - 21.0)
    return tf.math.ceil(felt)


with tf.GradientTape() as tape:
    grades = comfort(temperature)
    rows = [g * 0.5 for g in grades.numpy().tolist()]
    penalty = tf.reduce_mean(tf.constant(rows))

print("penalty", round(float(penalty), 3))
print("gradient", tape.gradient(penalty, temperature))
