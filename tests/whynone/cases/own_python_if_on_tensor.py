import tensorflow as tf

threshold = tf.Variable(0.4)
scores = [0.2, 0.5, 0.9]

with tf.GradientTape() as tape:
    accepted = tf.constant(0.0)
    for score in scores:
        margin = score - threshold
        if margin > 0:
            accepted += 1.0
    loss = (accepted - 1.0) ** 2

print("loss", float(loss))
print("gradient", tape.gradient(loss, threshold))
