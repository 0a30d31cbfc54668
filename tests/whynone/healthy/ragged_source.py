import tensorflow as tf

rows = tf.ragged.constant([[1.0], [2.0, 3.0]])
with tf.GradientTape() as tape:
    tape.watch(rows)
    total = tf.reduce_sum(rows * rows)
print(tape.gradient(total, rows).to_list())
