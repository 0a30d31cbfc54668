import tensorflow as tf

logits = tf.Variable([[0.0, 0.0], [0.0, 0.0]])
with tf.GradientTape() as tape:
    probabilities = tf.nn.softmax(logits)
    mass = tf.reduce_sum(probabilities)
print("mass", float(mass))
print("gradient", tape.gradient(mass, logits).numpy().tolist())
