import tensorflow as tf
from support.quantisers import frozen

tf.random.set_seed(2)
student = tf.keras.layers.Dense(3, name="student")
teacher = tf.keras.layers.Dense(3, name="teacher")
x = tf.random.normal((4, 2))
with tf.GradientTape() as tape:
    lesson = teacher(x)
    answer = frozen(student(x))
    gap = tf.reduce_mean((answer - lesson) ** 2)
grads = tape.gradient(gap, {"kernel": student.kernel, "bias": student.bias})
print({k: v is not None for k, v in grads.items()})
