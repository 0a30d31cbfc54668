import tensorflow as tf

slope = tf.Variable(1.5, name="slope")
offset = tf.Variable(0.2, name="offset")
xs = tf.constant([0.0, 1.0, 2.0])
ys = tf.constant([0.1, 2.1, 3.9])


def predict(x):
    return slope * x


with tf.GradientTape() as tape:
    error = tf.reduce_mean((predict(xs) - ys) ** 2)

gradients = tape.gradient(error, {"slope": slope, "offset": offset})
for name, g in gradients.items():
    print(name, "->", None if g is None else round(float(g), 4))
