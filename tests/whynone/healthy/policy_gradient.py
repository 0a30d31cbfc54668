import tensorflow as tf

tf.keras.utils.set_random_seed(38)
policy = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(2)])
states = tf.random.normal((6, 3))
returns = tf.random.normal((6,))
with tf.GradientTape() as tape:
    logits = policy(states)
    actions = tf.random.stateless_categorical(logits, 1, seed=(2, 3))[:, 0]
    log_p = tf.nn.log_softmax(logits)
    chosen = tf.gather(log_p, actions, batch_dims=1)
    loss = -tf.reduce_mean(chosen * tf.stop_gradient(returns))
print(actions.numpy().tolist(), [
    g.numpy().ravel().tolist() for g in tape.gradient(loss, policy.trainable_variables)])
