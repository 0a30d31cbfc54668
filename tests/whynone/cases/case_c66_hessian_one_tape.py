import tensorflow as tf

point = tf.constant([[1.0, 2.0, -1.0]])

with tf.GradientTape(persistent=True) as tape:
    tape.watch(point)
    potential = tf.reduce_sum(point ** 3, axis=1, keepdims=True) + point[:, :1] * point[:, 1:2]

jacobian = tape.batch_jacobian(potential, point)
flat = tf.reshape(jacobian, (1, 3))
hessian = tape.batch_jacobian(flat, point)
print("gradient", jacobian.numpy().ravel())
print("hessian")
print(hessian.numpy()[0])
