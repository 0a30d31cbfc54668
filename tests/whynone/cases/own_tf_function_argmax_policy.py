import tensorflow as tf

tf.random.set_seed(4)
policy = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(3)])
rewards = tf.constant([0.1, 1.0, -0.5])


@tf.function
def expected_reward(states):
    logits = policy(states)
    actions = tf.argmax(logits, axis=1)
    return tf.reduce_mean(tf.gather(rewards, actions))


states = tf.random.normal((5, 2))
with tf.GradientTape() as tape:
    loss = -expected_reward(states)
grads = tape.gradient(loss, policy.trainable_variables)
print("policy gradients:", grads)
