import tensorflow as tf

logits = tf.Variable([[0.1, 0.5, -0.3]])
payoff = tf.constant([1.0, 0.0, 2.0])

with tf.GradientTape() as tape:
    draws = tf.random.categorical(logits, 8, seed=3)
    reward = tf.gather(payoff, draws)
    objective = tf.reduce_mean(reward)

print("objective", objective.shape)
print("logit gradient", tape.gradient(objective, logits))
