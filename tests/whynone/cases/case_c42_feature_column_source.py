import tensorflow as tf

samples = tf.constant([[2.0, 3.0], [1.0, -1.0]])

with tf.GradientTape(persistent=True) as tape:
    tape.watch(samples)
    age = samples[:, 0]
    income = samples[:, 1]
    risk = age ** 2 + tf.sin(samples[:, 1])

print("risk", risk.numpy().round(3))
print("d risk / d age", tape.gradient(risk, age))
print("d risk / d income", tape.gradient(risk, income))
