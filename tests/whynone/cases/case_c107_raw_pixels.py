import numpy as np
import tensorflow as tf

rng = np.random.default_rng(3)
pixels = tf.constant(rng.uniform(0, 255, (8, 4)), tf.float32)
labels = tf.one_hot(rng.integers(0, 3, 8), 3)
weights = tf.Variable(tf.zeros((4, 3)))

for step in range(3):
    with tf.GradientTape() as tape:
        probs = tf.nn.softmax(pixels @ weights)
        loss = -tf.reduce_sum(labels * tf.math.log(probs + 1e-10))
    grad = tape.gradient(loss, weights)
    weights.assign_sub(0.5 * grad)
    print("step", step, f"norm {float(tf.norm(grad)):.2f}")
