import tensorflow as tf

x = tf.Variable([1.0, 2.0])
with tf.GradientTape() as tape:
    y = tf.reduce_sum(x ** 2)
try:
    int("seven")
except ValueError:
    print("a caught error of another kind")
print(tape.gradient(y, x).numpy().tolist())
