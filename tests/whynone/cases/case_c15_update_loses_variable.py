import tensorflow as tf

theta = tf.Variable(3.0)
learning_rate = 0.1
history = []

for step in range(4):
    with tf.GradientTape() as tape:
        loss = (theta - 1.0) ** 2
    grad = tape.gradient(loss, theta)
    if grad is None:
        print("step", step, "no gradient")
        break
    theta = theta - learning_rate * grad
    history.append(round(float(loss), 4))

print("history", history)
