import keras
import tensorflow as tf

keras.utils.set_random_seed(8)
student = keras.layers.Dense(3)
x = tf.random.normal((4, 2))

with tf.GradientTape() as tape:
    logits = student(x)
    hard = keras.ops.one_hot(keras.ops.argmax(logits, axis=1), 3)
    loss = tf.reduce_mean(keras.losses.mean_squared_error(hard, tf.ones((4, 3)) / 3.0))
print("student", tape.gradient(loss, [student.kernel, student.bias]))
