import tensorflow as tf

coefficients = tf.Variable([1.0, -3.0, 2.0])
with tf.GradientTape() as tape:
    value = tf.reduce_sum(coefficients ** 3)
    energy = tf.reduce_sum(coefficients ** 2)

for name, quantity in {"value": value, "energy": energy}.items():
    try:
        print(name, tape.gradient(quantity, coefficients).numpy())
    except RuntimeError:
        print(name, "failed")
