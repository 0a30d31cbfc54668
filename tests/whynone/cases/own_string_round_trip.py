import tensorflow as tf

amounts = tf.Variable([1.25, 3.5])
with tf.GradientTape() as tape:
    printed = tf.strings.as_string(amounts * 2.0, precision=2)
    parsed = tf.strings.to_number(printed)
    total = tf.reduce_sum(parsed)
print("total", float(total))
print("gradient", tape.gradient(total, amounts))
