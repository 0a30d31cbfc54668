import tensorflow as tf

lengths = tf.constant([4, 9, 16])


def mean_side(areas):
    sides = tf.sqrt(tf.cast(areas, tf.float32))
    return tf.reduce_mean(sides)


with tf.GradientTape() as tape:
    tape.watch(lengths)
    result = mean_side(lengths)
print("result", float(result), "gradient", tape.gradient(result, lengths))
